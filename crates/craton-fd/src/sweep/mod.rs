//! How the workers go through the points of a block: the order of the sweeps, whose kernels are in `craton-fd-kernels`.
//!
//! | file | what it does |
//! |---|---|
//! | `tiles` | what one worker changes |
//! | `ways` | the order of its planes and rows, in a sweep and in a march |

mod tiles;
mod ways;

use craton_device::Scalar;
pub use craton_fd_kernels::{MaterialArrays, Precision};

pub use tiles::{Half, columns_of, layers, tiles};
pub use ways::{Turn, turns};

/// The values of one precision behind arrays that own them.
pub fn borrow<T: Scalar, A: std::ops::Deref<Target = [T]>>(material: &MaterialArrays<A>) -> MaterialArrays<&[T]> {
    MaterialArrays { lambda: &material.lambda, inverse_mu: &material.inverse_mu, rho: &material.rho }
}
