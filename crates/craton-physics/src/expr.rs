//! A tracing scalar: calling a law with it records the operations of the law.

use core::marker::PhantomData;
use core::ops::{Add, Div, Mul, Neg, Sub};
use std::cell::RefCell;
use std::collections::HashMap;

use crate::real::Real;

/// A value in a traced law, for [`print_cuda`](crate::cuda::print_cuda).
///
/// It is a handle into a thread-local arena, which stores every operation once: the same operation on the same operands gives the same handle. Nothing is
/// simplified or reordered, so the printed code rounds as the law does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    index: u32,
    /// Makes the type `!Send`: a handle is only valid in its thread.
    thread_bound: PhantomData<*const ()>,
}

/// The node that a handle refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// An input, given by the C++ expression that reads it.
    Input(String),
    /// A constant, given by the bits of its f64.
    Constant(u64),
    /// An operation, given by its name in the `op` namespace of the header.
    Operation(&'static str, Vec<Expr>),
}

#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
    handles: HashMap<Node, Expr>,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

impl Expr {
    /// Creates an input.
    ///
    /// # Arguments
    /// * `name` – the C++ expression that reads it, such as `mu` or `grad_u[0][2]`
    pub fn input(name: &str) -> Self {
        Self::intern(Node::Input(name.to_owned()))
    }

    /// The handle of a node; a new one only if the arena does not contain the node yet.
    fn intern(node: Node) -> Self {
        ARENA.with_borrow_mut(|Arena { nodes, handles }| {
            *handles.entry(node).or_insert_with_key(|node| {
                let index = u32::try_from(nodes.len()).expect("fewer than 2^32 operations");
                nodes.push(node.clone());
                Self { index, thread_bound: PhantomData }
            })
        })
    }

    /// The result of an operation.
    fn operation(name: &'static str, operands: &[Self]) -> Self {
        Self::intern(Node::Operation(name, operands.to_vec()))
    }

    /// The node of this handle.
    pub(crate) fn node(self) -> Node {
        ARENA.with_borrow(|arena| arena.nodes[self.index as usize].clone())
    }
}

impl Add for Expr {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::operation("add", &[self, other])
    }
}

impl Sub for Expr {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::operation("sub", &[self, other])
    }
}

impl Mul for Expr {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::operation("mul", &[self, other])
    }
}

impl Div for Expr {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::operation("div", &[self, other])
    }
}

impl Neg for Expr {
    type Output = Self;
    fn neg(self) -> Self {
        Self::operation("neg", &[self])
    }
}

impl Real for Expr {
    fn constant(value: f64) -> Self {
        Self::intern(Node::Constant(value.to_bits()))
    }

    fn mul_add(self, a: Self, b: Self) -> Self {
        Self::operation("fma", &[self, a, b])
    }

    fn sqrt(self) -> Self {
        Self::operation("sqrt", &[self])
    }

    fn recip(self) -> Self {
        Self::operation("recip", &[self])
    }

    fn abs(self) -> Self {
        Self::operation("abs", &[self])
    }

    fn select_less(a: Self, b: Self, if_less: Self, otherwise: Self) -> Self {
        Self::operation("select_less", &[a, b, if_less, otherwise])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_expression_is_the_same_handle() {
        let (x, y) = (Expr::input("x"), Expr::input("y"));
        assert_eq!(x, Expr::input("x"));
        assert_eq!(x.mul_add(y, x + y).sqrt(), x.mul_add(y, x + y).sqrt());
        assert_eq!(Expr::constant(0.5) * x, Expr::constant(0.5) * x);
    }

    #[test]
    fn different_roundings_are_different_handles() {
        let (x, y) = (Expr::input("x"), Expr::input("y"));
        assert_ne!(x * y + x, x.mul_add(y, x));
        assert_ne!(x / y, x * y.recip());
        assert_ne!(x - y, x + -y);
        assert_ne!(Expr::constant(0.0), Expr::constant(-0.0));
    }
}
