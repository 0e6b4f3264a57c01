//! Numbers of the control nodes of a sheet: integer points on the surface of a box.

/// A closed sheet of control nodes around the centre of the sphere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet {
    /// Steps between nodes along each axis of the cube
    pub(super) steps: [usize; 3],
}

impl Sheet {
    /// Number of nodes.
    pub(super) fn count(&self) -> usize {
        2 * self.in_end() + (self.steps[2] - 1) * self.around()
    }

    /// Nodes of each of the two faces at the ends of the last axis.
    fn in_end(&self) -> usize {
        (self.steps[0] + 1) * (self.steps[1] + 1)
    }

    /// Nodes of each plane between them.
    fn around(&self) -> usize {
        2 * (self.steps[0] + self.steps[1])
    }

    /// Number of the node at a point of the surface, in steps along each axis.
    pub(super) fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        let [ni, nj, nk] = self.steps;
        let in_plane = i + (ni + 1) * j;
        if k == 0 {
            in_plane
        } else if k == nk {
            self.in_end() + (nk - 1) * self.around() + in_plane
        } else {
            self.in_end() + (k - 1) * self.around() + Loop { steps: [ni, nj] }.step([i, j])
        }
    }

    /// The point of the node with this number, counted from 0.
    pub(super) fn point(&self, index: usize) -> [usize; 3] {
        let [ni, nj, nk] = self.steps;
        let in_plane = |index: usize| [index % (ni + 1), index / (ni + 1)];
        let last = self.in_end() + (nk - 1) * self.around();
        if index < self.in_end() {
            let [i, j] = in_plane(index);
            [i, j, 0]
        } else if index >= last {
            let [i, j] = in_plane(index - last);
            [i, j, nk]
        } else {
            let index = index - self.in_end();
            let [i, j] = Loop { steps: [ni, nj] }.point(index % self.around());
            [i, j, 1 + index / self.around()]
        }
    }
}

/// The loop around one axis: the perimeter of a rectangle, counter-clockwise from the corner at the end of the first axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loop {
    /// Steps along the two other axes of the cube, in cyclic order
    pub(super) steps: [usize; 2],
}

impl Loop {
    /// Number of steps around.
    pub(super) fn count(&self) -> usize {
        2 * (self.steps[0] + self.steps[1])
    }

    /// The point at a step.
    pub(super) fn point(&self, step: usize) -> [usize; 2] {
        let [n, m] = self.steps;
        let step = step % self.count();
        if step < m {
            [n, step]
        } else if step < m + n {
            [n - (step - m), m]
        } else if step < 2 * m + n {
            [0, m - (step - m - n)]
        } else {
            [step - 2 * m - n, 0]
        }
    }

    /// The step at a point of the perimeter.
    pub(super) fn step(&self, [i, j]: [usize; 2]) -> usize {
        let [n, m] = self.steps;
        if i == n {
            j
        } else if j == m {
            m + n - i
        } else if i == 0 {
            2 * m + n - j
        } else {
            2 * m + n + i
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_points_of_a_sheet_are_inverse() {
        let sheet = Sheet { steps: [4, 6, 2] };
        for index in 0..sheet.count() {
            let point = sheet.point(index);
            assert!((0..3).any(|axis| point[axis] == 0 || point[axis] == sheet.steps[axis]));
            assert_eq!(sheet.number(point), index);
        }
        let around = Loop { steps: [4, 6] };
        for step in 0..around.count() {
            assert_eq!(around.step(around.point(step)), step);
        }
    }
}
