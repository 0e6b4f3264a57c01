//! The state in a file, which all ranks write and read together.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use bytemuck::{Pod, Zeroable};
use craton_comm::{CommError, Ranks};
use xxhash_rust::xxh3::xxh3_64;

use crate::collective::gather_values;
use crate::distributed_solver::DistributedSolver;
use crate::solver::Failure;

/// Number of blocks that wait to be written.
const WAITING: usize = 2;

/// Where the state is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFile {
    /// The file.
    pub path: PathBuf,
    /// The blocks of each array.
    pub blocks: Vec<Vec<FileBlock>>,
}

/// Where a block is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FileBlock {
    /// Position of its first byte.
    pub position: u64,
    /// xxh3 of its bytes, with which the bytes that are read are compared.
    pub hash: u64,
}

/// The ranks that take the blocks of a state while it is saved, and provide them while it is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holders {
    /// The first rank.
    First,
    /// All ranks: the one whose parts have all values of the block; otherwise one after the other.
    All,
}

impl Holders {
    /// The rank that holds a block whose values are on several of `count` ranks.
    pub fn rank_of(self, block: usize, count: usize) -> usize {
        if self == Self::First { 0 } else { block % count }
    }

    /// All ranks if each of them has opened the file.
    fn agreed(ranks: &dyn Ranks, has_opened: bool) -> Result<Self, CommError> {
        Ok(if ranks.least(f64::from(u8::from(has_opened)))? > 0.0 { Self::All } else { Self::First })
    }
}

impl StateFile {
    pub(crate) fn to_words(&self) -> Vec<u32> {
        let path = self.path.to_string_lossy().into_owned().into_bytes();
        let counts = self.blocks.iter().map(|blocks| blocks.len() as u32);
        let mut words = vec![path.len() as u32, self.blocks.len() as u32];
        words.extend(counts);
        words.extend(path.chunks(4).map(|some| some.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))));
        words.extend_from_slice(bytemuck::cast_slice(&self.blocks.concat()));
        words
    }

    pub(crate) fn from_words(words: &[u32]) -> Self {
        let (path, arrays) = (words[0] as usize, words[1] as usize);
        let (counts, rest) = words[2..].split_at(arrays);
        let (text, blocks) = rest.split_at(path.div_ceil(4));
        let text = String::from_utf8_lossy(&bytemuck::cast_slice(text)[..path]).into_owned();
        let mut blocks = bytemuck::pod_collect_to_vec::<u32, FileBlock>(blocks).into_iter();
        let blocks = counts.iter().map(|&count| blocks.by_ref().take(count as usize).collect()).collect();
        Self { path: text.into(), blocks }
    }
}

/// Writes the state; the first rank returns the hash of each block of each array. All ranks call it together.
///
/// # Errors
/// [`Failure::File`] on the first rank; a device that fails, a rank that is lost.
pub(crate) fn write<E: DistributedSolver>(parts: &mut E, file: &StateFile) -> Result<Vec<Vec<u64>>, Failure> {
    let ranks = parts.common().requests.shared_ranks();
    let opened = OpenOptions::new().write(true).open(&file.path);
    let holders = Holders::agreed(&*ranks, opened.is_ok())?;
    let mut writer = BlockWriter::start(opened);
    for (array, blocks) in file.blocks.iter().enumerate() {
        parts.save_here(array, holders, &mut |block, values| {
            writer.write([array, block], blocks[block].position, bytemuck::cast_slice(values));
        })?;
    }
    let written = writer.finish();
    // A rank without blocks does not need the file.
    let reason = written.as_ref().err().filter(|_| holders == Holders::All || ranks.is_root()).map(ToString::to_string);
    let all = gather_values(&*ranks, &written.unwrap_or_default())?.unwrap_or_default();
    if let Some(reason) = first_reason(&*ranks, reason)? {
        return Err(Failure::File { path: file.path.clone(), reason });
    }
    let mut hashes: Vec<Vec<u64>> = file.blocks.iter().map(|blocks| vec![0; blocks.len()]).collect();
    for [array, block, hash] in all.concat() {
        hashes[array as usize][block as usize] = hash;
    }
    Ok(hashes)
}

/// Reads the state. All ranks call it together.
///
/// # Errors
/// [`Failure::Damaged`] on the first rank, after which the state is undefined; a device that fails, a rank that is lost.
pub(crate) fn read<E: DistributedSolver>(parts: &mut E, file: &StateFile) -> Result<(), Failure> {
    let ranks = parts.common().requests.shared_ranks();
    let opened = File::open(&file.path);
    let holders = Holders::agreed(&*ranks, opened.is_ok())?;
    let names: Vec<String> = parts.arrays().into_iter().map(|array| array.name.into_owned()).collect();
    let mut damage = None;
    for (array, blocks) in file.blocks.iter().enumerate() {
        parts.restore_here(array, holders, &mut |block, values| {
            let read = opened.as_ref().map_err(ToString::to_string);
            let read = read.and_then(|file| blocks[block].read(file, bytemuck::cast_slice_mut(values)));
            if let Err(reason) = read {
                damage.get_or_insert(format!("block {block} of \"{}\": {reason}", names[array]));
            }
        })?;
    }
    match first_reason(&*ranks, damage)? {
        Some(reason) => Err(Failure::Damaged { path: file.path.clone(), reason }),
        None => Ok(()),
    }
}

impl FileBlock {
    /// Reads the block and compares its hash.
    fn read(&self, mut file: &File, bytes: &mut [u8]) -> Result<(), String> {
        let read = file.seek(SeekFrom::Start(self.position)).and_then(|_| file.read_exact(bytes));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "it is truncated".to_owned(),
            _ => error.to_string(),
        })?;
        if xxh3_64(bytes) == self.hash { Ok(()) } else { Err("its hash does not match".to_owned()) }
    }
}

/// Returns the reason of the first rank that has one, on the first rank, with the name of the rank if there are several.
fn first_reason(ranks: &dyn Ranks, own: Option<String>) -> Result<Option<String>, CommError> {
    let several = ranks.count() > 1;
    let named = own.map(|own| if several { format!("rank {} on {}: {own}", ranks.rank(), ranks.host()) } else { own });
    let all = ranks.gather(named.unwrap_or_default().as_bytes())?.unwrap_or_default();
    let first = all.iter().find(|bytes| !bytes.is_empty());
    Ok(first.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
}

/// Array, block and hash of a block that has been written.
type Written = [u64; 3];

/// Writes blocks on a thread of its own, while the ranks collect the next ones.
struct BlockWriter {
    blocks: SyncSender<([usize; 2], u64, Vec<u8>)>,
    thread: JoinHandle<io::Result<Vec<Written>>>,
}

impl BlockWriter {
    fn start(file: io::Result<File>) -> Self {
        let (sender, receiver) = sync_channel::<([usize; 2], u64, Vec<u8>)>(WAITING);
        let thread = std::thread::spawn(move || {
            let (mut file, mut written) = (file?, Vec::new());
            for ([array, block], position, bytes) in receiver {
                file.seek(SeekFrom::Start(position))?;
                file.write_all(&bytes)?;
                written.push([array as u64, block as u64, xxh3_64(&bytes)]);
            }
            file.sync_all().map(|()| written)
        });
        Self { blocks: sender, thread }
    }

    /// Queues a block. [`Self::finish`] returns any error.
    fn write(&mut self, of: [usize; 2], position: u64, bytes: &[u8]) {
        // The thread has ended only after an error.
        let _ = self.blocks.send((of, position, bytes.to_vec()));
    }

    fn finish(self) -> io::Result<Vec<Written>> {
        drop(self.blocks);
        self.thread.join().expect("writing does not panic")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use craton_comm::{ThreadRank, on_threads};
    use craton_device::Workers;

    use super::*;
    use crate::collective::{broadcast_block, gather_values_on};
    use crate::distributed_solver::Common;
    use crate::requests::Requests;
    use crate::rows::Rows;
    use crate::solver::StateArray;

    #[test]
    fn files_are_decoded_as_encoded() {
        let block = |position| FileBlock { position, hash: u64::MAX - position };
        for path in ["", "a", "results/été/.checkpoint-000000000001.craton.partial"] {
            let blocks = vec![vec![block(1), block(1 << 40)], vec![], vec![block(7)]];
            let file = StateFile { path: path.into(), blocks };
            assert_eq!(StateFile::from_words(&file.to_words()), file);
        }
    }

    /// Number of values of a block.
    const BLOCK: usize = 4;
    /// Number of blocks.
    const BLOCKS: usize = 5;

    /// A solver whose state is an array. Value i is on rank i mod n.
    struct Striped {
        common: Common,
        values: Vec<f32>,
    }

    impl Striped {
        fn new(ranks: ThreadRank, value: impl Fn(usize) -> f32) -> Self {
            let ranks: Arc<dyn Ranks> = Arc::new(ranks);
            let own = (ranks.rank()..BLOCK * BLOCKS).step_by(ranks.count());
            let values = own.map(value).collect();
            let workers = Arc::new(Workers::new(Some(1)).unwrap());
            let rows = Rows::new(vec![Vec::new()], 0);
            Self { common: Common { requests: Requests::new(ranks), rows, workers, dt: 1.0, courant: 1.0 }, values }
        }
    }

    impl DistributedSolver for Striped {
        type Scalar = f32;

        fn common(&self) -> &Common {
            &self.common
        }

        fn common_mut(&mut self) -> &mut Common {
            &mut self.common
        }

        fn steps_here(&self) -> u64 {
            0
        }

        fn advance_here(&mut self, _: u64) -> Result<(), Failure> {
            Ok(())
        }

        fn broken_here(&mut self) -> Result<Vec<[f64; 3]>, Failure> {
            Ok(Vec::new())
        }

        fn samples_here(&mut self) -> Result<Vec<f32>, Failure> {
            Ok(Vec::new())
        }

        fn arrays(&self) -> Vec<StateArray> {
            vec![StateArray { name: "values".into(), shape: vec![BLOCK * BLOCKS], blocks: vec![BLOCK; BLOCKS] }]
        }

        fn save_here(
            &mut self,
            _: usize,
            holders: Holders,
            sink: &mut dyn FnMut(usize, &[f32]),
        ) -> Result<(), Failure> {
            let ranks = self.common.requests.ranks();
            for block in 0..BLOCKS {
                let holder = holders.rank_of(block, ranks.count());
                let Some(all) = gather_values_on(ranks, holder, &self.values)? else { continue };
                let value = |index: usize| all[index % ranks.count()][index / ranks.count()];
                sink(block, &(block * BLOCK..(block + 1) * BLOCK).map(value).collect::<Vec<f32>>());
            }
            Ok(())
        }

        fn restore_here(
            &mut self,
            _: usize,
            holders: Holders,
            source: &mut dyn FnMut(usize, &mut [f32]),
        ) -> Result<(), Failure> {
            let ranks = self.common.requests.ranks();
            for block in 0..BLOCKS {
                let mut values = [0.0; BLOCK];
                let holder = holders.rank_of(block, ranks.count());
                broadcast_block(ranks, holder, &mut values, &mut |values| source(block, values))?;
                for (index, value) in (block * BLOCK..).zip(values) {
                    if index % ranks.count() == ranks.rank() {
                        self.values[index / ranks.count()] = value;
                    }
                }
            }
            Ok(())
        }

        fn restore_step_here(&mut self, _: u64) -> Result<(), Failure> {
            Ok(())
        }
    }

    #[test]
    fn ranks_write_and_read_one_file_even_if_only_the_first_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let blocks = (0..BLOCKS as u64).map(|block| FileBlock { position: 100 * block, hash: 0 }).collect();
        let file = StateFile { path: path.clone(), blocks: vec![blocks] };
        let value = |index: usize| 0.5 + index as f32;
        for is_shared in [true, false] {
            let here = |rank: &ThreadRank, mut file: StateFile| {
                if !is_shared && !rank.is_root() {
                    file.path = folder.path().join("elsewhere").join("state");
                }
                file
            };
            std::fs::write(&path, []).unwrap();
            let written = on_threads(3, |rank| {
                let file = here(&rank, file.clone());
                write(&mut Striped::new(rank, value), &file).unwrap()
            });
            let bytes = std::fs::read(&path).unwrap();
            let mut complete = file.clone();
            for (block, (place, &hash)) in complete.blocks[0].iter_mut().zip(&written[0][0]).enumerate() {
                let values: Vec<f32> = (block * BLOCK..(block + 1) * BLOCK).map(value).collect();
                assert!(bytes[place.position as usize..].starts_with(bytemuck::cast_slice(&values)), "{block}");
                place.hash = hash;
            }
            let restored = |count| {
                on_threads(count, |rank| {
                    let file = here(&rank, complete.clone());
                    let mut solver = Striped::new(rank, |_| 0.0);
                    read(&mut solver, &file).map(|()| solver.values)
                })
            };
            let found = restored(2).into_iter().map(Result::unwrap).collect::<Vec<_>>();
            assert!((0..BLOCK * BLOCKS).all(|index| found[index % 2][index / 2] == value(index)));
            let mut damaged = bytes;
            damaged[305] ^= 4;
            std::fs::write(&path, damaged).unwrap();
            let error = restored(2)[0].as_ref().unwrap_err().to_string();
            let rank = if is_shared { 1 } else { 0 };
            let expected = format!("rank {rank} on thread {rank}: block 3 of \"values\": its hash does not match");
            assert!(error.contains(&expected), "{error}");
        }
    }
}
