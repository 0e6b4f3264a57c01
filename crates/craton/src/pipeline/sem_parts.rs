//! The partition of a mesh.

use craton_sem::{Parts, Plan};

use crate::config::Partition;
use crate::error::Error;
use crate::meshing::Slices;
use crate::options::GraphPartitioner;
use crate::setup::Setup;

/// The parts of a mesh.
pub fn cut(
    plan: &Plan,
    count: usize,
    setup: &Setup,
    partitioner: Option<GraphPartitioner>,
    divided: Option<&Slices>,
) -> Result<Parts, Error> {
    if let Some(Slices { parts, part_of_tile, .. }) = divided {
        return Ok(Parts::of_tiles(plan, *parts, |tile| part_of_tile[tile as usize]));
    }
    match setup.partition {
        Partition::Regular => Ok(Parts::regular(plan, count)?),
        Partition::Slices => {
            Ok(Parts::slices(plan, slices(count, [setup.x, setup.y]), |place| setup.frame.from_space(place))?)
        }
        Partition::Metis => Ok(Parts::by_graph(plan, count, partitioner.ok_or(Error::WithoutMetis)?.0)?),
    }
}

/// Numbers of slices along x and y that minimise the area between slices in a box with these ranges of x and y [m].
pub fn slices(count: usize, ranges: [[f64; 2]; 2]) -> [usize; 2] {
    let [x, y] = ranges.map(|[from, to]| to - from);
    let divided =
        (1..=count).filter(|along_x| count.is_multiple_of(*along_x)).map(|along_x| [along_x, count / along_x]);
    let touching = |[along_x, along_y]: &[usize; 2]| y * (along_x - 1) as f64 + x * (along_y - 1) as f64;
    let least = divided.min_by(|one, other| touching(one).total_cmp(&touching(other)));
    least.expect("there is a part")
}
