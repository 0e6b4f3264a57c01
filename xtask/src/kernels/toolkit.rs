//! The pinned compilers: NVRTC, ptxas and nvdisasm from Python wheels, in an environment under the target folder.

use super::build;
use super::images::Image;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The wheels and their versions.
const REQUIREMENTS: &str = include_str!("requirements.txt");
/// The script that drives NVRTC, from the root of the workspace.
const NVRTC: &str = "xtask/src/kernels/nvrtc.py";
/// Folders of our own headers, from the root of the workspace.
pub const INCLUDES: [&str; 2] = ["crates/craton-device/kernels", "crates/craton-sem/kernels"];
/// Options of every compilation. The laws use explicit fused operations, so the compiler must not fuse others.
const OPTIONS: [&str; 2] = ["--std=c++17", "--fmad=false"];
/// Warning of NVRTC about the oldest architectures, which is suppressed.
const DEPRECATED: &str = "Architectures prior to";

/// All that determines what the compilers produce from a given source: their versions, the options and the script.
pub fn settings() -> [String; 4] {
    let script = fs::read_to_string(NVRTC).unwrap_or_default();
    [REQUIREMENTS.to_owned(), OPTIONS.join(" "), build::FORMS.join(" "), script]
}

/// The programs, ready to run.
pub struct Toolkit {
    python: PathBuf,
    ptxas: PathBuf,
    nvdisasm: PathBuf,
    /// Folder of intermediate files.
    scratch: PathBuf,
}

/// Machine code, and the messages of the assembler.
pub struct Assembled {
    /// The bytes of the cubin.
    pub cubin: Vec<u8>,
    /// The messages of `ptxas --verbose`.
    pub messages: String,
}

impl Toolkit {
    /// Installs the wheels, unless the environment already contains them.
    ///
    /// # Errors
    /// Python 3 without venv, or no network.
    pub fn install() -> Result<Self> {
        let environment = shell::target().join("kernels-venv");
        let python = environment.join("bin/python");
        let installed = environment.join("installed.txt");
        if fs::read_to_string(&installed).ok().as_deref() != Some(REQUIREMENTS) {
            shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))
                .context("Python 3 with venv is required")?;
            let mut install = Command::new(&python);
            install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            shell::run(install.args(REQUIREMENTS.lines()))?;
            fs::write(&installed, REQUIREMENTS)?;
        }
        let packages = shell::output(
            Command::new(&python).args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]),
        )?;
        let packages = Path::new(packages.trim()).join("nvidia");
        let scratch = shell::target().join("kernels");
        fs::create_dir_all(&scratch).with_context(|| format!("cannot create {}", scratch.display()))?;
        Ok(Self {
            python,
            ptxas: packages.join("cuda_nvcc/bin/ptxas"),
            nvdisasm: packages.join("cu13/bin/nvdisasm"),
            scratch,
        })
    }

    /// Compiles CUDA C++ to PTX for a virtual architecture such as `compute_70`, without the comments of the compiler.
    ///
    /// # Errors
    /// The messages of the compiler.
    pub fn compile(&self, image: &Image, architecture: &str) -> Result<String> {
        let path = self.scratch.join(format!("{}.{architecture}.ptx", image.name));
        let mut command = Command::new(&self.python);
        command.arg(NVRTC).arg(&image.source).arg(&path).args(OPTIONS);
        command.arg(format!("--gpu-architecture={architecture}"));
        command.args(image.source.parent().map(|folder| format!("--include-path={}", folder.display())));
        command.args(INCLUDES.map(|folder| format!("--include-path={folder}")));
        command.args(image.defines.iter().map(|(name, value)| format!("--define-macro={name}={value}")));
        let messages = said(command.args(&image.options))
            .with_context(|| format!("{} for {architecture}", image.source.display()))?;
        for line in messages.lines().filter(|line| !line.is_empty() && !line.contains(DEPRECATED)) {
            eprintln!("{line}");
        }
        let ptx = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(without_comments(&ptx))
    }

    /// Assembles PTX to machine code for a chip such as `sm_90`.
    ///
    /// # Errors
    /// The messages of the assembler.
    pub fn assemble(&self, name: &str, ptx: &str, chip: &str) -> Result<Assembled> {
        let [source, cubin] = ["ptx", "cubin"].map(|ending| self.scratch.join(format!("{name}.{chip}.{ending}")));
        fs::write(&source, ptx).with_context(|| format!("cannot write {}", source.display()))?;
        let mut command = Command::new(&self.ptxas);
        command.args(["--verbose", "--gpu-name", chip, "--output-file"]).arg(&cubin).arg(&source);
        let messages = said(&mut command).with_context(|| format!("{name} for {chip}"))?;
        let cubin = fs::read(&cubin).with_context(|| format!("cannot read {}", cubin.display()))?;
        Ok(Assembled { cubin, messages })
    }

    /// Disassembles the output of `assemble`; the listing is also written to a file next to the machine code.
    ///
    /// # Errors
    /// The messages of the disassembler.
    pub fn disassemble(&self, name: &str, chip: &str) -> Result<(String, PathBuf)> {
        let [cubin, listing] = ["cubin", "sass"].map(|ending| self.scratch.join(format!("{name}.{chip}.{ending}")));
        let mut command = Command::new(&self.nvdisasm);
        let output = command.arg("--print-code").arg(&cubin).stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot start {command:?}"))?;
        if !output.status.success() {
            bail!("{command:?} ended with {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        let text = String::from_utf8(output.stdout)?;
        fs::write(&listing, &text).with_context(|| format!("cannot write {}", listing.display()))?;
        Ok((text, listing))
    }
}

/// Runs a command and returns its messages; they are the error when it fails.
fn said(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    let messages = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if !output.status.success() {
        bail!("{}\n{messages}", output.status);
    }
    Ok(messages)
}

/// Removes comments and blank lines from PTX: they contain the build of the compiler and make the file longer.
fn without_comments(ptx: &str) -> String {
    let code = |line: &'_ str| line.split("//").next().unwrap_or_default().trim_end().to_owned();
    let lines = ptx.lines().map(code).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_leave_the_ptx() {
        let ptx = "//\n// Compiler Build ID: 1\n//\n\n.version 8.7\n\tret; // done\n}\n";
        assert_eq!(without_comments(ptx), ".version 8.7\n\tret;\n}\n");
    }
}
