//! Small systems of linear equations, as rows of coefficients and right-hand sides.

/// The solution of some equations exactly and of others with the least squares of their errors. Each row holds coefficients and right-hand side.
pub fn least_squares(mut exact: Vec<Vec<f64>>, close: &[Vec<f64>]) -> Vec<f64> {
    let count = close[0].len() - 1;
    let pivots = eliminate(&mut exact, count);
    let free: Vec<usize> = (0..count).filter(|j| pivots.iter().all(|(_, pivot)| pivot != j)).collect();
    // The equations in the free unknowns alone.
    let reduced = close.iter().map(|row| {
        let of = |j: usize| row[j] - pivots.iter().map(|&(r, pivot)| row[pivot] * exact[r][j]).sum::<f64>();
        free.iter().map(|&j| of(j)).chain([of(count)]).collect::<Vec<f64>>()
    });
    let reduced: Vec<Vec<f64>> = reduced.collect();
    let product = |a: usize, b: usize| reduced.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let normal: Vec<Vec<f64>> = (0..free.len()).map(|a| (0..=free.len()).map(|b| product(a, b)).collect()).collect();
    let mut values = vec![0.0; count];
    for (&j, value) in free.iter().zip(solve(normal)) {
        values[j] = value;
    }
    for &(row, pivot) in &pivots {
        let known: f64 = free.iter().map(|&j| exact[row][j] * values[j]).sum();
        values[pivot] = exact[row][count] - known;
    }
    values
}

/// The solution of as many equations as unknowns; zero for an unknown that they leave open.
pub fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    let mut values = vec![0.0; count];
    for (row, column) in eliminate(&mut rows, count) {
        values[column] = rows[row][count];
    }
    values
}

/// Gauss-Jordan elimination with complete pivoting; equations that follow from others are ignored. Returns row and column of each pivot.
fn eliminate(rows: &mut [Vec<f64>], columns: usize) -> Vec<(usize, usize)> {
    const DEPENDENT: f64 = 1e-10;
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    loop {
        let open = (0..rows.len()).filter(|row| pivots.iter().all(|(used, _)| used != row));
        let places = open.flat_map(|row| (0..columns).map(move |column| (row, column)));
        let largest = places.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()));
        let Some((row, column)) = largest.filter(|&(row, column)| rows[row][column].abs() > DEPENDENT) else {
            return pivots;
        };
        pivots.push((row, column));
        let scale = 1.0 / rows[row][column];
        rows[row].iter_mut().for_each(|value| *value *= scale);
        let pivot = rows[row].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(number, _)| *number != row) {
            let factor = other[column];
            other.iter_mut().zip(&pivot).for_each(|(value, above)| *value -= factor * above);
        }
    }
}
