//! The parts of a run as one solver.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use craton_comm::Solo;
use craton_device::{Scalar, Workers};
use craton_sim::{Common, Failure, Order, Orders, Rows};

use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::parts::Parts;
use crate::plan::Plan;
use crate::probes::Probe;
use crate::questions::Question;
use crate::selection::{Selected, Selection, Share};
use crate::team::Team;

/// The parts of this process, which advance in step with those of all other ranks.
pub struct Ensemble<T: Scalar, P: Part<T>> {
    pub(crate) plan: Arc<Plan>,
    pub(crate) team: Team,
    pub(crate) parts: Vec<P>,
    pub(crate) common: Common,
    /// Number of selections so far.
    selections: AtomicU32,
    /// Selections that the first rank has requested, on the other ranks.
    pub(crate) asked_for: Vec<Selected<T>>,
}

impl<T: Scalar, P: Part<T>> Ensemble<T, P> {
    /// Creates the solver from the parts of this process, all at the same step.
    ///
    /// # Arguments
    /// * `probes` – all probes of the run, which the parts were created with
    /// * `dt` – time step [s]
    /// * `courant` – fraction of the largest stable time step
    pub fn new(
        plan: Arc<Plan>,
        team: Team,
        parts: Vec<P>,
        probes: &[Probe],
        [dt, courant]: [f64; 2],
        workers: Arc<Workers>,
    ) -> Self {
        let mut channels = vec![Vec::new(); team.parts().count()];
        let mut channel = 0;
        for probe in probes {
            let part = team.parts().of_patch(plan.patch_of(probe.element).0);
            channels[part].extend(channel..channel + probe.channels() as u32);
            channel += probe.channels() as u32;
        }
        let rows = Rows::new(channels, parts[0].step());
        let common = Common { orders: Orders::new(Arc::clone(team.ranks())), rows, workers, dt, courant };
        Self { plan, team, parts, common, selections: AtomicU32::new(0), asked_for: Vec::new() }
    }

    /// Creates the solver from a single part.
    ///
    /// # Arguments
    /// * `times` – time step [s], and fraction of the largest stable time step
    pub fn of_one(plan: Arc<Plan>, part: P, probes: &[Probe], times: [f64; 2], workers: Arc<Workers>) -> Self {
        let team = Team::new(Parts::one(&plan), Arc::new(Solo));
        Self::new(plan, team, vec![part], probes, times, workers)
    }

    /// The parts of this process.
    pub fn parts(&self) -> &[P] {
        &self.parts
    }

    /// Sends a request to all other ranks, if there are any.
    pub(crate) fn ask(&self, question: impl FnOnce() -> Question) -> Result<(), Failure> {
        if self.common.orders.are_heard() {
            self.common.orders.give(&Order::Own(question().to_words()))?;
        }
        Ok(())
    }

    /// The part that provides the values of a node: the one whose patch contributes first.
    pub(crate) fn owner(&self, place: NodePlace) -> usize {
        let patch = match place {
            NodePlace::Inner { patch, .. } => patch,
            NodePlace::Shared(node) => self.plan.layout.contributions_of(node)[0].0,
        };
        self.team.parts().of_patch(patch as usize)
    }

    /// For each part of all ranks, the indices of the entries of a selection that it provides.
    fn owners(&self, what: &Selection) -> Vec<Vec<u32>> {
        let mut indices = vec![Vec::new(); self.team.parts().count()];
        let owners: Vec<usize> = match what {
            Selection::Nodes(places) => places.iter().map(|&place| self.owner(place)).collect(),
            Selection::Elements(elements) => {
                elements.iter().map(|&element| self.team.parts().of_patch(self.plan.patch_of(element).0)).collect()
            }
        };
        for (index, owner) in owners.into_iter().enumerate() {
            indices[owner].push(index as u32);
        }
        indices
    }

    pub(crate) fn select_here(&self, what: Selection) -> Result<Selected<T>, Failure> {
        let number = self.selections.fetch_add(1, Ordering::Relaxed);
        let owners = self.owners(&what);
        let share = |(part, indices): (&P, &Vec<u32>)| {
            let at = indices.iter().map(|&index| index as usize);
            let own = match &what {
                Selection::Elements(elements) => Selection::Elements(at.map(|index| elements[index]).collect()),
                Selection::Nodes(places) => {
                    let place = |index: usize| part.own().place_of(places[index]).expect("a node of its owner");
                    Selection::Nodes(at.map(place).collect())
                }
            };
            Ok(Share { copy: part.select(&own)?, what: own })
        };
        let shares: Result<_, Failure> = self.parts.iter().zip(&owners[self.team.own()]).map(share).collect();
        Ok(Selected { number, shares: shares?, owners, what })
    }

    /// Gathers a field at a selection on the first rank, in the order of the selection.
    pub(crate) fn gather(&self, selected: &Selected<T>, field: Field) -> Result<Vec<T>, Failure> {
        let mut own = Vec::new();
        for (part, Share { what, copy }) in self.parts.iter().zip(&selected.shares) {
            own.extend(match copy {
                Some(copy) => part.fetch(what, copy, field)?,
                None => self.read_share(part, what, field)?,
            });
        }
        let Some(all) = self.team.ranks().gather(bytemuck::cast_slice(&own))? else { return Ok(Vec::new()) };
        let per_index = match &selected.what {
            Selection::Nodes(_) => 3,
            Selection::Elements(_) => 3 * self.plan.gll.points.len().pow(3),
        };
        let mut values = vec![T::default(); per_index * selected.what.len(1)];
        let found: Vec<T> = all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect();
        for (&index, found) in selected.owners.iter().flatten().zip(found.chunks_exact(per_index)) {
            values[index as usize * per_index..][..per_index].copy_from_slice(found);
        }
        Ok(values)
    }

    fn read_share(&self, part: &P, what: &Selection, field: Field) -> Result<Vec<T>, Failure> {
        let reader = part.reader(field)?;
        let in_part = |place| part.own().place_of(place).expect("a node of its element");
        Ok(match what {
            Selection::Nodes(places) => places.iter().flat_map(|&place| reader(place)).collect(),
            Selection::Elements(elements) => {
                let places = elements.iter().flat_map(|&element| self.plan.places(element));
                places.flat_map(|place| reader(in_part(place))).collect()
            }
        })
    }

    /// Positions [m] of nodes whose displacement is not finite, at most one for each part.
    pub(crate) fn broken_positions(&mut self) -> Result<Vec<[f64; 3]>, Failure> {
        let mut broken = Vec::new();
        for part in &mut self.parts {
            let place = part.broken_place()?.map(|place| part.own().place_in_plan(place));
            broken.extend(place.map(|place| position_of(&self.plan, place)));
        }
        Ok(broken)
    }

    pub(crate) fn save_field(&self, field: Field, sink: &mut dyn FnMut(&[[T; 3]])) -> Result<(), Failure> {
        let readers: Result<Vec<Reader<T>>, Failure> = self.parts.iter().map(|part| part.reader(field)).collect();
        let readers = readers?;
        let first = self.team.own().start;
        let mut own = Vec::new();
        self.plan.in_canonical_order(|places| {
            own.clear();
            for &place in places {
                let owner = self.owner(place);
                if self.team.own().contains(&owner) {
                    let here = self.parts[owner - first].own().place_of(place).expect("a node of its owner");
                    own.push(readers[owner - first](here));
                }
            }
            if self.team.ranks().count() == 1 {
                sink(&own);
                return Ok(());
            }
            let Some(all) = self.team.ranks().gather(bytemuck::cast_slice(own.as_flattened()))? else { return Ok(()) };
            let mut ranks: Vec<_> =
                all.iter().map(|bytes| bytemuck::pod_collect_to_vec::<u8, T>(bytes).into_iter()).collect();
            let in_order = places.iter().map(|&place| {
                let values = &mut ranks[self.team.rank_of(self.owner(place))];
                [(); 3].map(|()| values.next().expect("one vector for each node"))
            });
            sink(&in_order.collect::<Vec<_>>());
            Ok(())
        })
    }

    pub(crate) fn restore_field(&mut self, field: Field, source: &mut dyn FnMut(&mut [[T; 3]])) -> Result<(), Failure> {
        let mut values: Vec<Vec<[T; 3]>> =
            self.parts.iter().map(|part| vec![[T::default(); 3]; part.numbers()]).collect();
        let ranks = self.team.ranks();
        self.plan.in_canonical_order(|places| -> Result<(), Failure> {
            let mut block = vec![[T::default(); 3]; places.len()];
            if ranks.is_root() {
                source(&mut block);
            }
            if ranks.count() > 1 {
                let mut bytes = bytemuck::cast_slice(block.as_flattened()).to_vec();
                ranks.broadcast(&mut bytes)?;
                block.as_flattened_mut().copy_from_slice(&bytemuck::pod_collect_to_vec::<u8, T>(&bytes));
            }
            for (part, values) in self.parts.iter().zip(&mut values) {
                for (&place, &value) in places.iter().zip(&block) {
                    if let Some(place) = part.own().place_of(place) {
                        values[part.number_of(place)] = value;
                    }
                }
            }
            Ok(())
        })?;
        self.parts.iter_mut().zip(values).try_for_each(|(part, values)| part.replace(field, values))
    }
}

/// Position [m] of a node.
fn position_of(plan: &Plan, place: NodePlace) -> [f64; 3] {
    let points = &plan.gll.points;
    let n = points.len();
    let point_of = |element| Some((element, plan.places(element).position(|other| other == place)?));
    (0..plan.mesh.n_elements() as u32).find_map(point_of).map_or([f64::NAN; 3], |(element, point)| {
        let xi = [point % n, point / n % n, point / (n * n)].map(|i| points[i]);
        plan.mesh.position(element, xi)
    })
}
