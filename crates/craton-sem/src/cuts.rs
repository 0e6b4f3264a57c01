//! The nodes of a phase that several parts have, and the messages about them.

use std::collections::HashMap;

use craton_sem_kernels::Phase;
use craton_sim::Link;

use crate::layout::{Layout, PatchNodes};
use crate::parts::Parts;
use crate::plan::Plan;
use crate::wet::WetNode;

/// Classes of shared nodes, in the order in which a part numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A node of a single part.
    Own,
    /// A node of several parts.
    Cut,
    /// A node on an absorbing boundary, cut or not.
    Absorbing,
}

/// Messages of a part, with patch numbers of the plan.
pub struct Messages {
    pub links: Vec<Link>,
    pub outgoing: Vec<(u32, u32)>,
    pub incoming: Vec<(u32, u32)>,
}

/// A phase of a plan that is divided into parts.
pub struct Cuts<'a> {
    pub layout: &'a Layout,
    phase: Phase,
    parts: &'a Parts,
    /// The parts of the node of the other phase at each wet node, ascending by node.
    beyond: Vec<(u32, Vec<usize>)>,
}

impl<'a> Cuts<'a> {
    pub fn new(plan: &'a Plan, phase: Phase, parts: &'a Parts) -> Self {
        let other = if phase == Phase::Solid { Phase::Fluid } else { Phase::Solid };
        let parts_of = |node: u32| {
            let contributions = plan.of(other).layout.contributions_of(node);
            contributions.iter().map(|&(patch, _)| parts.of_patch(other, patch as usize)).collect()
        };
        let beyond = |pair: &WetNode| match phase {
            Phase::Solid => (pair.solid, parts_of(pair.fluid)),
            Phase::Fluid => (pair.fluid, parts_of(pair.solid)),
        };
        let mut beyond: Vec<(u32, Vec<usize>)> = match parts.count() {
            1 => Vec::new(),
            _ => plan.wet.iter().map(beyond).collect(),
        };
        beyond.sort_unstable();
        Self { layout: &plan.of(phase).layout, phase, parts, beyond }
    }

    fn part(&self, patch: u32) -> usize {
        self.parts.of_patch(self.phase, patch as usize)
    }

    /// The parts that need a shared node, ascending: those of its patches, and of the node of the other phase at the same place.
    fn parts_of(&self, node: u32) -> Vec<usize> {
        let own = self.layout.contributions_of(node).iter().map(|&(patch, _)| self.part(patch));
        let wet = self.beyond.binary_search_by_key(&node, |(node, _)| *node);
        let mut all: Vec<usize> = own.chain(wet.iter().flat_map(|&at| self.beyond[at].1.iter().copied())).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    pub fn is_cut(&self, node: u32) -> bool {
        if self.parts.count() == 1 {
            return false;
        }
        let mut own = self.layout.contributions_of(node).iter().map(|&(patch, _)| self.part(patch));
        let first = own.next();
        own.any(|part| Some(part) != first)
            || self.beyond.binary_search_by_key(&node, |(node, _)| *node).is_ok() && self.parts_of(node).len() > 1
    }

    /// The highest level of the cut nodes among some shared ones.
    pub fn finest_level(&self, shared: &[u32]) -> u8 {
        let levels = shared.iter().map(|&node| (node, self.layout.levels[node as usize]));
        let cut = levels.filter(|&(node, level)| level > 0 && self.is_cut(node));
        cut.map(|(_, level)| level).max().unwrap_or(0)
    }

    pub fn class(&self, node: u32) -> Class {
        match node as usize >= self.layout.first_absorbing {
            true => Class::Absorbing,
            false if self.is_cut(node) => Class::Cut,
            false => Class::Own,
        }
    }

    /// Shared nodes of a part, by class and in ascending order in each class: those of its patches, and those at wet nodes of the other phase.
    pub fn shared_nodes(&self, part: usize, patches: &[u32]) -> Vec<u32> {
        if self.parts.count() == 1 {
            return (0..self.layout.shared as u32).collect();
        }
        let of_patches = patches.iter().flat_map(|&patch| self.layout.patches[patch as usize].shared.iter().copied());
        let beyond = self.beyond.iter().filter(|(_, parts)| parts.contains(&part)).map(|&(node, _)| node);
        let mut nodes: Vec<u32> = of_patches.chain(beyond).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.sort_by_cached_key(|&node| self.class(node));
        nodes
    }

    /// Messages of a part, ordered by neighbour, then by node number in the plan, then by patch.
    pub fn messages(&self, part: usize, shared: &[u32]) -> Messages {
        if self.parts.count() == 1 {
            return Messages { links: Vec::new(), outgoing: Vec::new(), incoming: Vec::new() };
        }
        let mut cut: Vec<u32> = shared.iter().copied().filter(|&node| self.is_cut(node)).collect();
        cut.sort_unstable();
        let mut lists = vec![[Vec::new(), Vec::new()]; self.parts.count()];
        for &node in &cut {
            let contributions = self.layout.contributions_of(node);
            let (own, others): (Vec<_>, Vec<_>) =
                contributions.iter().partition(|&&(patch, _)| self.part(patch) == part);
            let neighbours = self.parts_of(node).into_iter().filter(|&neighbour| neighbour != part);
            neighbours.for_each(|neighbour| lists[neighbour][0].extend(&own));
            others.into_iter().for_each(|sum: (u32, u32)| lists[self.part(sum.0)][1].push(sum));
        }
        let mut messages = Messages { links: Vec::new(), outgoing: Vec::new(), incoming: Vec::new() };
        let lists = lists.into_iter().enumerate();
        for (neighbour, [outgoing, incoming]) in
            lists.filter(|(_, [sent, received])| !(sent.is_empty() && received.is_empty()))
        {
            let after = |all: &Vec<_>, more: &Vec<_>| all.len()..all.len() + more.len();
            messages.links.push(Link {
                part: neighbour,
                outgoing: after(&messages.outgoing, &outgoing),
                incoming: after(&messages.incoming, &incoming),
            });
            messages.outgoing.extend(outgoing);
            messages.incoming.extend(incoming);
        }
        messages
    }

    /// The layout of a part, with its own numbers.
    pub fn layout_of(
        &self,
        part: usize,
        patches: &[u32],
        shared: &[u32],
        first_absorbing: usize,
        incoming: &[(u32, u32)],
    ) -> Layout {
        let mut number = vec![u32::MAX; self.layout.shared];
        for (own, &node) in shared.iter().enumerate() {
            number[node as usize] = own as u32;
        }
        let mut own_patch = vec![u32::MAX; self.layout.patches.len()];
        for (own, &patch) in patches.iter().enumerate() {
            own_patch[patch as usize] = own as u32;
        }
        let received: HashMap<(u32, u32), u32> =
            incoming.iter().enumerate().map(|(place, &sum)| (sum, place as u32)).collect();
        let place = |&(patch, slot): &(u32, u32)| match self.part(patch) == part {
            true => (own_patch[patch as usize], slot),
            false => (patches.len() as u32, received[&(patch, slot)]),
        };
        let mut offsets = vec![0];
        let mut contributions = Vec::new();
        for &node in shared {
            contributions.extend(self.layout.contributions_of(node).iter().map(place));
            offsets.push(contributions.len() as u32);
        }
        let nodes = |&patch: &u32| {
            let PatchNodes { elements, inner, shared } = &self.layout.patches[patch as usize];
            let shared = shared.iter().map(|&node| number[node as usize]).collect();
            PatchNodes { elements: elements.clone(), inner: *inner, shared }
        };
        Layout {
            patches: patches.iter().map(nodes).collect(),
            shared: shared.len(),
            first_absorbing,
            offsets,
            contributions,
            levels: shared.iter().map(|&node| self.layout.levels[node as usize]).collect(),
        }
    }
}
