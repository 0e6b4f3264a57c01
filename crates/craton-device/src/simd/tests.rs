use super::*;
use crate::AlignedVec;

/// An operation on scalars.
type Scalars<T> = fn(T, T) -> T;

/// Runs every operation of `Real` on lanes and compares with the scalar, lane by lane.
struct Operations<'a, T: Scalar>(&'a [T], &'a [T]);

impl<T: Scalar> Kernel<T> for Operations<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let mut results = AlignedVec::zeroed(V::COUNT);
        let (a, b) = (V::cast(&self.0[..V::COUNT])[0], V::cast(&self.1[..V::COUNT])[0]);
        let two = V::constant(2.0);
        let cases: [(V, Scalars<T>); 10] = [
            (a + b, |a, b| a + b),
            (a - b, |a, b| a - b),
            (a * b, |a, b| a * b),
            (a / b, |a, b| a / b),
            (-a, |a, _| -a),
            (a.abs().sqrt(), |a, _| a.abs().sqrt()),
            (a.min(b), |a, b| a.min(b)),
            (a.max(b), |a, b| a.max(b)),
            (V::select_less(a, b, a + two, b), |a, b| if a < b { a + T::constant(2.0) } else { b }),
            (b.recip(), |_, b| T::constant(1.0) / b),
        ];
        for (case, (lanes, scalar)) in cases.into_iter().enumerate() {
            V::cast_mut(&mut results)[0] = lanes;
            for lane in 0..V::COUNT {
                assert_eq!(results[lane], scalar(self.0[lane], self.1[lane]), "case {case} lane {lane}");
            }
        }
        let (fraction, exponent) = b.abs().split_exponent();
        for lane in 0..V::COUNT {
            V::cast_mut(&mut results)[0] = fraction;
            let part = results[lane].to_f64();
            assert!((1.0..2.0).contains(&part));
            V::cast_mut(&mut results)[0] = exponent;
            assert_eq!(part * results[lane].to_f64().exp2(), self.1[lane].to_f64().abs());
            assert_eq!(V::less(a, b) >> lane & 1, u32::from(self.0[lane] < self.1[lane]));
        }
        assert_eq!(V::less(a, b).checked_shr(V::COUNT as u32).unwrap_or(0), 0);
        V::cast_mut(&mut results)[0] = a.mul_add(b, two);
        for lane in 0..V::COUNT {
            let exact = self.0[lane].to_f64() * self.1[lane].to_f64() + 2.0;
            assert!((results[lane].to_f64() - exact).abs() <= 1e-6 * exact.abs());
        }
    }
}

fn numbers<T: Scalar>(seed: u64) -> AlignedVec<T> {
    let mut state = seed;
    let mut values = AlignedVec::zeroed(16);
    for value in values.iter_mut() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *value = T::constant((state >> 40) as f64 / 1e6 - 8.0 + 1e-3);
    }
    values
}

#[test]
fn every_instruction_set_computes_what_the_scalar_computes() {
    for isa in Isa::available() {
        f32::dispatch(isa, Operations(&numbers(1), &numbers(2)));
        f64::dispatch(isa, Operations(&numbers(3), &numbers(4)));
    }
}

/// Gathers nodes and scatter-adds them twice: every node ends at three times its value.
struct RoundTrip<'a, T: Scalar>(&'a mut NodeScratch<T>, &'a [u16]);

impl<T: Scalar> Kernel<T> for RoundTrip<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        for index in self.1.chunks(V::COUNT) {
            let values = V::gather(self.0, index);
            V::scatter_add(values, self.0, index);
            V::scatter_add(values, self.0, index);
        }
    }
}

fn round_trip<T: Scalar>(isa: Isa) {
    let mut nodes = node_scratch::<T>();
    let index: Vec<u16> = (0..64).map(|n| n * 1021 + 7).collect();
    for (n, &node) in index.iter().enumerate() {
        nodes[usize::from(node)] = [0.0, 0.25, 0.5, 0.75].map(|part| T::constant(n as f64 + part));
    }
    T::dispatch(isa, RoundTrip(&mut nodes, &index));
    for (n, &node) in index.iter().enumerate() {
        for component in 0..3 {
            let expected = 3.0 * (n as f64 + 0.25 * component as f64);
            assert_eq!(nodes[usize::from(node)][component].to_f64(), expected, "{} node {n}", isa.name());
        }
    }
}

#[test]
fn gather_and_scatter_keep_nodes_and_components_apart() {
    for isa in Isa::available() {
        round_trip::<f32>(isa);
        round_trip::<f64>(isa);
    }
}

#[test]
fn lanes_sharing_a_node_all_arrive() {
    for isa in Isa::available() {
        let mut nodes = node_scratch::<f32>();
        nodes[9] = [1.0, 2.0, 3.0, 0.0];
        f32::dispatch(isa, RoundTrip(&mut nodes, &[9; 16]));
        let calls = 16 / f32::lanes(isa);
        let growth = (1 + 2 * f32::lanes(isa)).pow(calls as u32) as f32;
        assert_eq!(nodes[9], [growth, 2.0 * growth, 3.0 * growth, 0.0]);
    }
}

/// Shifts a row by one scalar with unaligned loads and stores.
struct Shift<'a, T: Scalar>(&'a [T], &'a mut [T]);

impl<T: Scalar> Kernel<T> for Shift<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        for start in (0..self.0.len() - V::COUNT).step_by(V::COUNT) {
            V::load(self.0, start + 1).store(self.1, start);
        }
    }
}

fn shift<T: Scalar>(isa: Isa) {
    let row: Vec<T> = (0..65).map(|i| T::from_f64(f64::from(i))).collect();
    let mut moved = vec![T::default(); 64];
    T::dispatch(isa, Shift(&row, &mut moved));
    assert!(moved[..48] == row[1..49], "{} {isa:?}", T::NAME);
}

#[test]
fn lanes_are_read_and_written_anywhere() {
    for isa in Isa::available() {
        shift::<f32>(isa);
        shift::<f64>(isa);
    }
}
