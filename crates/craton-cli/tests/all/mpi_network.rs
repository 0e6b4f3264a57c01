//! Ranks in separate network namespaces, as on eight machines: results, and the loss of a rank. The test requires the right to create namespaces; without it,
//! the test is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A box in eight tiles, one for each rank.
const SCENARIO: &str = r#"
duration = 0.04
[domain]
x = [0.0, 3200.0]
y = [0.0, 2400.0]
z = [-300.0, 0.0]
[model.layered]
layers = [{ vp = 2500.0, vs = 1200.0, rho = 2100.0 }, { top = -100.0, vp = 3500.0, vs = 2000.0, rho = 2500.0 }]
[[source]]
position = [1600.0, 1200.0, -130.0]
moment_tensor = { xx = 1.0e14, yy = 2.0e14, xz = 1.5e14 }
time_function.gaussian = { sigma = 0.02, centre = 0.04 }
[receivers]
stations = [{ code = "XX.IN", position = [1500.0, 1230.0, -110.0] }, { code = "XX.TOP", position = [860.0, 700.0, 0.0] }]
[method.sem]
max_frequency = 20.0
points_per_wavelength = 5.0
element_size = 50.0
doubling = false
[compute]
device = "cpu"
[output]
directory = "results"
seismograms = ["sac"]
[output.snapshots]
surface = { every = 0.02, quantities = ["velocity"] }
"#;

const RANKS: usize = 8;

/// Namespaces that a bridge joins; removed at the end.
struct Network {
    name: String,
    /// Third number of the addresses.
    subnet: u32,
}

fn ip(arguments: &str) -> bool {
    let output = Command::new("ip").args(arguments.split_whitespace()).output();
    output.is_ok_and(|output| output.status.success())
}

impl Network {
    /// `None` without the rights or the tools.
    fn new() -> Option<Self> {
        let id = std::process::id();
        let network = Self { name: format!("ct{}", id % 100_000), subnet: id % 250 };
        let Self { name, subnet } = &network;
        let start = [format!("link add {name} type bridge"), format!("addr add 10.78.{subnet}.254/24 dev {name}")];
        let mut all = start.iter().all(|command| ip(command)) && ip(&format!("link set {name} up"));
        for host in 1..=RANKS {
            let space = format!("{name}h{host}");
            all = all
                && ip(&format!("netns add {space}"))
                && ip(&format!("link add {name}v{host} type veth peer name eth0 netns {space}"))
                && ip(&format!("link set {name}v{host} master {name} up"))
                && ip(&format!("-n {space} addr add 10.78.{subnet}.{host}/24 dev eth0"))
                && ip(&format!("-n {space} link set eth0 up"))
                && ip(&format!("-n {space} link set lo up"));
        }
        all.then_some(network)
    }

    /// Starts a command on a rank in each namespace.
    fn start(&self, arguments: &[&str], folder: &Path) -> Child {
        let Self { name, subnet } = self;
        let agent = folder.join("agent.sh");
        let script = format!(
            "#!/bin/sh\nhost=${{1##*.}}; shift\nexec ip netns exec {name}h$host unshare --uts sh -c \"hostname {name}h$host; $*\"\n"
        );
        fs::write(&agent, script).unwrap();
        assert!(Command::new("chmod").args(["+x".as_ref(), agent.as_os_str()]).status().unwrap().success());
        let hosts: String = (1..=RANKS).map(|host| format!("10.78.{subnet}.{host} slots=1\n")).collect();
        fs::write(folder.join("hosts"), hosts).unwrap();
        let net = format!("10.78.{subnet}.0/24");
        let agent = agent.display().to_string();
        Command::new("mpirun")
            .args(["--hostfile", "hosts", "-n", &RANKS.to_string(), "--mca", "plm_rsh_agent", &agent])
            .args([
                "--mca",
                "btl",
                "tcp,self",
                "--mca",
                "btl_tcp_if_include",
                &net,
                "--mca",
                "oob_tcp_if_include",
                &net,
            ])
            .arg(env!("CARGO_BIN_EXE_craton"))
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Kills one rank; whether it was running.
    fn kill_rank(&self, rank: usize) -> bool {
        let space = format!("{}h{}", self.name, rank + 1);
        let output = Command::new("ip").args(["netns", "pids", &space]).output().unwrap();
        let pids = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_craton =
            |pid: &&str| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == "craton");
        let found = pids.lines().find(is_craton);
        found.is_some_and(|pid| Command::new("kill").args(["-9", pid]).status().unwrap().success())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for host in 1..=RANKS {
            ip(&format!("netns del {}h{host}", self.name));
        }
        ip(&format!("link del {}", self.name));
    }
}

/// All seismograms and frames.
fn results(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let folders = ["seismograms", "snapshots/surface"].map(|part| folder.join(part));
    let files = folders.iter().flat_map(|part| fs::read_dir(part).unwrap()).map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.map(|file| (file.strip_prefix(folder).unwrap().to_owned(), fs::read(&file).unwrap())).collect();
    files.sort();
    files
}

/// Takes about half a minute, because each of nine runs starts eight processes.
#[test]
fn ranks_on_separate_networks_compute_the_same_and_end_together() {
    let Some(network) = Network::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("box.toml"), SCENARIO).unwrap();
    let alone = Command::new(env!("CARGO_BIN_EXE_craton"))
        .args(["run", "box.toml", "-q", "--set", "output.directory=alone"])
        .current_dir(path)
        .status();
    assert!(alone.unwrap().success());
    let begun = Instant::now();
    let status = network.start(&["run", "box.toml", "--set", "output.directory=eight"], path).wait().unwrap();
    assert!(status.success());
    assert!(results(&path.join("eight")) == results(&path.join("alone")));
    // A rank is killed in each stage: start of MPI, mesh, elements, time loop, and results.
    let whole = begun.elapsed();
    let mut killed = 0;
    for part in 1..=6 {
        let mut run = network.start(&["run", "box.toml", "--set", "output.directory=killed", "--overwrite"], path);
        std::thread::sleep(whole.mul_f64(f64::from(part) / 7.0));
        let was_running = network.kill_rank(usize::try_from(part).unwrap() % RANKS);
        let begun = Instant::now();
        let status = loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "the other ranks wait for a lost one");
            match run.try_wait().unwrap() {
                Some(status) => break status,
                None => std::thread::sleep(Duration::from_millis(50)),
            }
        };
        assert!(!was_running || !status.success(), "{part}: {status}");
        killed += usize::from(was_running);
    }
    assert!(killed > 3, "{killed}");
    let again = network.start(&["run", "box.toml", "--set", "output.directory=killed", "--overwrite"], path).wait();
    assert!(again.unwrap().success());
    assert!(results(&path.join("killed")) == results(&path.join("alone")));
}
