//! The shells that a ray of given ray parameter crosses.

use super::phase::{InCore, Leg, Wave};
use super::shell::Share;
use super::stack::Stack;

/// A range of shells that a ray crosses as one wave type.
#[derive(Debug, Clone, PartialEq)]
struct Passage {
    wave: Wave,
    /// Index of the first shell, and one past the last.
    shells: [usize; 2],
    /// How often each of them is crossed.
    times: f64,
    /// Whether the ray turns inside the next shell; otherwise it is reflected at its top or continues as another wave type.
    turns: bool,
}

/// The common course of all rays of a path whose ray parameters lie between two neighbouring values of u.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    passages: Vec<Passage>,
    /// The wave type at the source, and whether it goes up.
    start: (Wave, bool),
    /// The wave type at the receiver.
    end: Wave,
}

impl Course {
    /// Course of the ray with a ray parameter \[s/rad\] that is not a value of u at a shell boundary; `None` if there is no such ray.
    pub fn find(stack: &Stack, path: &[Leg], p: f64) -> Option<Self> {
        let mut passages = Vec::new();
        for (index, leg) in path.iter().enumerate() {
            match *leg {
                // There are no upgoing rays from the surface.
                Leg::Up(_) if stack.source == 0 => return None,
                Leg::Up(wave) => passages.push(passage(stack, wave, [0, stack.source], p)?),
                Leg::Down(wave) => {
                    passages.push(passage(stack, wave, [0, stack.source], p)?);
                    passages.push(return_passage(stack, wave, [stack.source, stack.core], p)?);
                }
                Leg::Round(wave) => passages.push(return_passage(stack, wave, [0, stack.core], p)?),
                Leg::Echo(..) if !stack.reflects() => return None,
                Leg::Echo(down, up) => {
                    passages.push(passage(stack, down, [top(stack, index), stack.core], p)?);
                    passages.push(passage(stack, up, [0, stack.core], p)?);
                }
                Leg::Core(down, inside, up) => {
                    passages.push(passage(stack, down, [top(stack, index), stack.core], p)?);
                    in_core(stack, inside, p, &mut passages)?;
                    passages.push(passage(stack, up, [0, stack.core], p)?);
                }
            }
        }
        let (first, last) = (path.first()?, path.last()?);
        let start = match *first {
            Leg::Up(wave) => (wave, true),
            Leg::Down(wave) | Leg::Round(wave) | Leg::Echo(wave, _) | Leg::Core(wave, ..) => (wave, false),
        };
        let (Leg::Up(end) | Leg::Down(end) | Leg::Round(end) | Leg::Echo(_, end) | Leg::Core(.., end)) = *last;
        Some(Self { passages, start, end })
    }

    /// Time and angle of the ray with a ray parameter \[s/rad\] within the range of this course, including its ends.
    pub fn share(&self, stack: &Stack, p: f64) -> Share {
        self.passages.iter().fold(Share::default(), |sum, passage| {
            let shells = stack.of(passage.wave);
            let [first, end] = passage.shells;
            let passed = shells[first..end].iter().fold(Share::default(), |sum, shell| sum.plus(1.0, shell.through(p)));
            let sum = sum.plus(passage.times, passed);
            if passage.turns { sum.plus(2.0, shells[end].turning(p)) } else { sum }
        })
    }

    /// Angle from the downward vertical at the source \[rad\].
    pub fn takeoff(&self, stack: &Stack, p: f64) -> f64 {
        let (wave, upward) = self.start;
        match upward {
            true => std::f64::consts::PI - inclination(p, stack.of(wave)[stack.source - 1].u[1]),
            false => inclination(p, stack.of(wave)[stack.source].u[0]),
        }
    }

    /// Angle from the vertical at the surface \[rad\].
    pub fn incidence(&self, stack: &Stack, p: f64) -> f64 {
        inclination(p, stack.of(self.end)[0].u[0])
    }

    /// Smallest radius along the ray \[m\].
    pub fn least_radius(&self, stack: &Stack, p: f64) -> f64 {
        let least = |passage: &Passage| {
            let (shells, end) = (stack.of(passage.wave), passage.shells[1]);
            match passage.turns {
                true => shells[end].turning_radius(p),
                false if end == 0 => shells[0].radius[0],
                false => shells[end - 1].radius[1],
            }
        };
        self.passages.iter().map(least).fold(f64::INFINITY, f64::min)
    }
}

/// The first shell of a leg: below the source if it is the first leg.
fn top(stack: &Stack, leg: usize) -> usize {
    if leg == 0 { stack.source } else { 0 }
}

/// Adds the way through the core from its top and back.
fn in_core(stack: &Stack, inside: InCore, p: f64, passages: &mut Vec<Passage>) -> Option<()> {
    let [core, inner] = [stack.core, stack.inner_core];
    match inside {
        InCore::Turns(times) => {
            let passage = return_passage(stack, Wave::P, [core, inner], p)?;
            passages.extend(std::iter::repeat_n(passage, times));
        }
        InCore::Reflected | InCore::Inner => {
            if inner == stack.of(Wave::P).len() {
                return None;
            }
            passages.push(Passage { times: 2.0, ..passage(stack, Wave::P, [core, inner], p)? });
            if inside == InCore::Inner {
                passages.push(return_passage(stack, Wave::P, [inner, stack.of(Wave::P).len()], p)?);
            }
        }
    }
    Some(())
}

/// Angle of incidence, whose sine is p / u.
fn inclination(p: f64, u: f64) -> f64 {
    (p / u).min(1.0).asin()
}

/// Crosses a range of shells once; `None` if the ray would turn in one of them.
fn passage(stack: &Stack, wave: Wave, shells: [usize; 2], p: f64) -> Option<Passage> {
    let passes = stack.of(wave)[shells[0]..shells[1]].iter().all(|shell| p < shell.opening());
    passes.then_some(Passage { wave, shells, times: 1.0, turns: false })
}

/// Goes from the top of a range of shells down to the point in it where the ray turns or is totally reflected, and back.
fn return_passage(stack: &Stack, wave: Wave, [first, limit]: [usize; 2], p: f64) -> Option<Passage> {
    let shells = stack.of(wave);
    let end = first + shells[first..limit].iter().position(|shell| p >= shell.opening())?;
    let (shell, is_below_top) = (&shells[end], p < shells[end].u[0]);
    // A ray that cannot enter the first shell does not exist, and shells without this wave type do not turn it.
    let exists = shell.is_open() && (is_below_top || end > first);
    exists.then_some(Passage { wave, shells: [first, end], times: 2.0, turns: is_below_top })
}

/// All ray parameters \[s/rad\] at which the course of a path may change: values of u at the boundaries of shells where it may turn, and
/// the largest ray parameters that its other legs can pass.
pub(super) fn changes(stack: &Stack, path: &[Leg]) -> Vec<f64> {
    let mut changes = vec![0.0];
    let least = |wave: Wave, shells: std::ops::Range<usize>| {
        stack.of(wave)[shells].iter().map(|shell| shell.opening()).reduce(f64::min)
    };
    let turning = |wave: Wave, shells: std::ops::Range<usize>, changes: &mut Vec<f64>| {
        changes.extend(stack.of(wave)[shells].iter().flat_map(|shell| shell.u));
    };
    let [core, inner] = [stack.core, stack.inner_core];
    for (index, leg) in path.iter().enumerate() {
        match *leg {
            Leg::Up(wave) => changes.extend(least(wave, 0..stack.source)),
            Leg::Down(wave) | Leg::Round(wave) => turning(wave, 0..core, &mut changes),
            Leg::Echo(down, up) => {
                changes.extend(least(down, top(stack, index)..core).into_iter().chain(least(up, 0..core)));
            }
            Leg::Core(down, inside, up) => {
                changes.extend(least(down, top(stack, index)..core).into_iter().chain(least(up, 0..core)));
                changes.extend(least(Wave::P, core..inner));
                match inside {
                    InCore::Turns(_) => turning(Wave::P, core..inner, &mut changes),
                    InCore::Reflected => {}
                    InCore::Inner => turning(Wave::P, inner..stack.of(Wave::P).len(), &mut changes),
                }
            }
        }
    }
    changes.sort_by(f64::total_cmp);
    changes.dedup();
    changes
}
