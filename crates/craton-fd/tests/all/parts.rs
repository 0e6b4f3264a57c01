//! Results are bit-identical for any number, distribution and shape of parts.

use std::sync::Arc;

use crate::common::*;
use craton_comm::{Ranks, thread_ranks};
use craton_fd::{
    Boundaries, FdOperator, GpuOperator, Medium, Options, Part, PartSet, Precision, Probe, ProbeQuantity, Problem,
    Side, largest_part, process_grid, stable_step,
};
use craton_sim::PartExchange;
use craton_testkit::devices::gpus;

/// Steps of a run, enough for waves to cross all cuts and to return from the sides.
const STEPS: u64 = 120;

/// Samples of a run, recorded in two parts, and the final state.
type Run<T> = (Vec<T>, Saved<T>);

fn whole_run<T: Precision>(solver: &mut dyn Solver<T>, steps: u64) -> Run<T> {
    solver.advance(steps / 3).unwrap();
    solver.check().unwrap();
    let mut samples = solver.take_samples().unwrap();
    solver.advance(steps - steps / 3).unwrap();
    samples.extend(solver.take_samples().unwrap());
    (samples, Saved::of(solver))
}

/// A [`hill`] with sources and receivers between grid points, next to cuts and on them.
struct Busy {
    half_length: usize,
    boundaries: Boundaries,
    cells: [usize; 3],
    /// Whether parts are cut along x, instead of where it costs least.
    along_x: bool,
}

impl Busy {
    fn all() -> impl Iterator<Item = Self> {
        let of = |(half_length, boundaries)| Self { half_length, boundaries, cells: CELLS, along_x: false };
        [2, 1, 4, 2].into_iter().zip(all_boundaries()).map(of)
    }

    fn options(&self, parts: usize) -> Options {
        let mut options = options(self.half_length, self.boundaries);
        options.parts = match self.along_x {
            true => [parts, 1, 1],
            false => process_grid(&hill_grid(self.cells), &self.boundaries, self.half_length, parts),
        };
        options
    }

    /// The medium of the cells required by a rank.
    fn medium<T: Precision>(&self, exchange: &PartExchange, parts: [usize; 3]) -> Medium<T> {
        let grid = hill_grid(self.cells);
        let materials = hill_materials(&grid);
        let (boundaries, half_length) = (&self.boundaries, self.half_length);
        let material = |cell| materials[grid.number(cell)];
        let medium = Medium::distributed(grid, boundaries, half_length, parts, exchange, material).unwrap();
        let mut medium = medium.with_mixtures(|cell| hill_mixture(&grid, &materials, cell));
        medium.tell(boundaries, half_length, parts, exchange).unwrap();
        medium
    }

    /// The solver that `make` creates with the parts and ranks of `exchange`.
    fn solver<T: Precision, P: Part<T>>(
        &self,
        exchange: &PartExchange,
        make: impl FnOnce(&Problem<T>, &PartExchange) -> PartSet<T, P>,
    ) -> PartSet<T, P> {
        let (options, (sources, mut probes)) = (self.options(exchange.parts()), hill_taps());
        let medium = self.medium::<T>(exchange, options.parts);
        // Receivers near the interface of two parts, wherever the cut is.
        probes.extend([70.0, 80.0, 90.0].map(|x| Probe {
            position: [x, 143.0, -110.5],
            quantity: ProbeQuantity::Gradient,
            interface: None,
        }));
        let dt = 0.9 * stable_step(&medium, &self.boundaries, &options.stencil).unwrap();
        make(&Problem { medium: &medium, options: &options, dt, sources: &sources, probes: &probes }, exchange)
    }

    /// A solver with one part per device on all ranks.
    fn on_gpus<T: Precision>(&self, exchange: &PartExchange) -> GpuOperator<T> {
        let gpus = gpus(exchange.own().len()).expect("devices, since there was one before");
        self.solver(exchange, |problem, exchange| {
            GpuOperator::distributed(&gpus, problem, exchange, workers(1)).unwrap()
        })
    }

    fn on_cpu<T: Precision>(&self, exchange: &PartExchange) -> FdOperator<T> {
        self.solver(exchange, |problem, exchange| FdOperator::distributed(problem, exchange, workers(1)).unwrap())
    }
}

/// Runs `solver` on the first of several ranks; the others serve.
fn on_ranks<T: Precision, S: Solver<T>>(
    count: usize,
    solver: impl Fn(Arc<dyn Ranks>) -> S + Sync,
    work: impl Fn(&mut S) -> Run<T> + Sync,
) -> Run<T> {
    let rank = |ranks: Arc<dyn Ranks>| {
        let mut own = solver(Arc::clone(&ranks));
        let run = ranks.is_root().then(|| work(&mut own));
        if run.is_some() { own.end() } else { own.serve() }.unwrap();
        ranks.finish().unwrap();
        run
    };
    let mut runs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = thread_ranks(count).into_iter().map(|own| scope.spawn(|| rank(Arc::new(own)))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank that works")).collect()
    });
    runs.swap_remove(0).expect("the first rank answers")
}

#[test]
fn results_are_bit_identical_for_any_number_of_parts() {
    for (number, busy) in Busy::all().enumerate() {
        let one = whole_run::<f32>(&mut busy.on_cpu(&PartExchange::solo(1)), STEPS);
        assert!(one.0.iter().any(|v| v.abs() > 1e-12));
        let counts = if number == 0 { &[2, 3, 4, 5, 6, 7, 8][..] } else { &[3, 8] };
        for &parts in counts {
            let many = whole_run::<f32>(&mut busy.on_cpu(&PartExchange::solo(parts)), STEPS);
            assert!(many == one, "{parts} parts, {:?}", busy.boundaries);
        }
    }
}

#[test]
fn results_are_bit_identical_for_any_number_of_ranks() {
    // In the last case of each the parts of some ranks are not neighbours.
    let cases = [&[(2, 2), (3, 3), (4, 4), (2, 8), (9, 18)][..], &[(3, 3), (9, 18)]];
    for (busy, cases) in Busy::all().zip(cases) {
        let one = whole_run::<f64>(&mut busy.on_cpu(&PartExchange::solo(1)), STEPS);
        for &(ranks, parts) in cases {
            let many = on_ranks(
                ranks,
                |ranks| busy.on_cpu::<f64>(&PartExchange::new(parts, ranks)),
                |solver| whole_run(solver, STEPS),
            );
            assert!(many == one, "{ranks} ranks, {parts} parts");
        }
    }
}

#[test]
fn results_are_bit_identical_for_any_number_of_devices() {
    if gpus(1).is_none() {
        return;
    }
    // A machine with a GPU may lack a compiler for stencils of two points; emulated devices are too slow for all cases.
    let is_emulated = std::env::var("CRATON_TEST_GPU").is_err();
    for (number, busy) in Busy::all().filter(|busy| is_emulated || busy.half_length > 1).enumerate() {
        let (steps, counts) = match (is_emulated, number) {
            (false, _) => (102, &[2, 3, 4, 8][..]),
            (true, 0) => (30, &[2, 3, 8][..]),
            (true, _) => (18, &[][..]),
        };
        let one = whole_run::<f32>(&mut busy.on_gpus(&PartExchange::solo(1)), steps);
        assert!(one.0.iter().any(|v| v.abs() > 1e-12));
        for &parts in counts {
            let many = whole_run::<f32>(&mut busy.on_gpus(&PartExchange::solo(parts)), steps);
            assert!(many == one, "{parts} devices, {:?}", busy.boundaries);
        }
        let on = |ranks| busy.on_gpus::<f32>(&PartExchange::new(4, ranks));
        let distributed = on_ranks(2, on, |solver| whole_run(solver, steps));
        assert!(distributed == one, "two ranks of two devices, {:?}", busy.boundaries);
    }
}

#[test]
fn a_run_continues_from_devices_on_the_cpu_and_back() {
    if gpus(1).is_none() {
        return;
    }
    let busy = Busy::all().next().expect("there are some");
    let mut whole = busy.on_gpus::<f32>(&PartExchange::solo(1));
    whole.advance(20).unwrap();
    let saved = Saved::of(&mut whole);
    let mut host = busy.on_cpu::<f32>(&PartExchange::solo(3));
    saved.restore(&mut host);
    let mut many = busy.on_gpus::<f32>(&PartExchange::solo(2));
    Saved::of(&mut host).restore(&mut many);
    let _ = whole.take_samples().unwrap();
    assert!(whole_run::<f32>(&mut many, 12) == whole_run(&mut whole, 12));
}

#[test]
fn a_run_continues_with_another_number_of_parts() {
    for (number, busy) in Busy::all().enumerate() {
        let mut whole = busy.on_cpu::<f32>(&PartExchange::solo(1));
        whole.advance(50).unwrap();
        let _ = whole.take_samples().unwrap();
        let expected = whole_run(&mut whole, STEPS);
        let half = on_ranks(
            2,
            |ranks| busy.on_cpu::<f32>(&PartExchange::new(4, ranks)),
            |solver| {
                solver.advance(50).unwrap();
                (solver.take_samples().unwrap(), Saved::of(solver))
            },
        );
        let resume = |solver: &mut FdOperator<f32>| {
            half.1.restore(solver);
            whole_run(solver, STEPS)
        };
        let counts = if number == 0 { &[1, 3, 8][..] } else { &[3] };
        for &parts in counts {
            assert!(resume(&mut busy.on_cpu(&PartExchange::solo(parts))) == expected, "{parts} parts");
        }
        let distributed = on_ranks(3, |ranks| busy.on_cpu::<f32>(&PartExchange::new(3, ranks)), resume);
        assert!(distributed == expected, "three ranks, {:?}", busy.boundaries);
    }
}

/// Groups of sixteen points reach beyond a part that is cut along x, where a rank holds only some of the cells.
#[test]
fn ranks_cut_along_x_are_bit_identical() {
    for boundaries in all_boundaries() {
        let busy = Busy { half_length: 4, boundaries, cells: [36, 18, 21], along_x: true };
        let one = whole_run::<f32>(&mut busy.on_cpu(&PartExchange::solo(1)), STEPS);
        let two =
            on_ranks(2, |ranks| busy.on_cpu::<f32>(&PartExchange::new(2, ranks)), |solver| whole_run(solver, STEPS));
        assert!(two == one, "{boundaries:?}");
    }
}

#[test]
fn parts_balance_the_work_and_share_few_points() {
    let grid = cubes([100, 100, 50], 1.0);
    let rigid = Boundaries::all(Side::Rigid);
    let of = |count| process_grid(&grid, &rigid, 2, count);
    assert_eq!([of(1), of(2), of(3), of(4), of(8)], [[1, 1, 1], [1, 2, 1], [1, 3, 1], [1, 2, 2], [1, 4, 2]]);
    // A face across x costs as much as sixteen others, so that only long rows are cut.
    let long = |x: usize| process_grid(&cubes([x, 20, 20], 1.0), &rigid, 2, 2);
    assert_eq!([long(300), long(340)], [[1, 1, 2], [2, 1, 1]]);
    // A periodic axis has as many cuts as parts.
    let mut periodic = rigid;
    periodic.sides[2..4].fill(Side::Periodic);
    assert_eq!(process_grid(&grid, &periodic, 2, 2), [1, 1, 2]);
    // Cells in layers cost more, so that parts with layers are smaller.
    let cells = |boundaries: &Boundaries, parts| {
        largest_part(&cubes([100, 20, 20], 1.0), boundaries, 2, [parts, 1, 1]).unwrap()[0]
    };
    assert_eq!([2, 4].map(|parts| cells(&rigid, parts)), [50, 25]);
    let mut below = rigid;
    below.sides[0] = layer(10, 4000.0, 10.0);
    // 47 cells, of which 10 cost 1.6, and 53.
    assert_eq!([cells(&below, 1), cells(&below, 2)], [100, 53]);
    let mut both = below;
    both.sides[1] = below.sides[0];
    // 22, 28, 28 and 22.
    assert_eq!([2, 4].map(|parts| cells(&both, parts)), [50, 28]);
    // A stencil of 16 points requires eight cells in each part.
    assert_eq!(process_grid(&cubes([12, 40, 12], 1.0), &rigid, 8, 2), [1, 2, 1]);
}
