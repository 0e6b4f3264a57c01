//! The run record documents a run and survives a round trip.

use craton_run::{Program, RunRecord, RunStatus, Stages};
use std::fs;

#[test]
fn the_record_of_a_run_survives_a_round_trip_at_start_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program { name: "craton".into(), version: "0.1.0".into(), commit: Some("abc123".into()) };
    let mut record = RunRecord::start("LOH.1", program, "f32", 0x00ff);
    record.keep_scenario(folder.path(), "scenario.toml", "title = \"LOH.1\"\n").unwrap();
    record.files.insert("valley.asc".into(), "0123456789abcdef".into());
    record.write(folder.path()).unwrap();
    let running = RunRecord::read(folder.path()).unwrap();
    assert_eq!(running, record);
    assert_eq!((running.status, running.finished), (RunStatus::Running, None));

    let mut stages = Stages::new();
    stages.add("mesh", 1.5);
    record.figure("dt_s", 0.004_f64);
    record.figure("elements", 100_000_u64);
    record.figure("device", "cpu");
    record.figure("misfit", f64::NAN);
    record.finish(RunStatus::Complete, &stages, None);
    record.write(folder.path()).unwrap();

    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(json["status"], "complete");
    assert_eq!(json["program"]["commit"], "abc123");
    assert_eq!(json["scenario_hash"], "00000000000000ff");
    assert_eq!(json["scenario_file"], "scenario.toml");
    assert_eq!(json["files"]["valley.asc"], "0123456789abcdef");
    assert_eq!(json["stages"][0]["name"], "mesh");
    assert_eq!(json["stages"][0]["seconds"], 1.5);
    assert_eq!(json["figures"]["dt_s"], 0.004);
    assert_eq!(json["figures"]["elements"], 100_000);
    assert!(json["figures"]["misfit"].is_null());
    assert!(json["finished"].as_str().unwrap() >= json["started"].as_str().unwrap());
    assert!(!json["command_line"].as_array().unwrap().is_empty());
    assert!(json["host"]["threads"].as_u64().unwrap() >= 1);
    assert_eq!(fs::read_to_string(folder.path().join("scenario.toml")).unwrap(), "title = \"LOH.1\"\n");
}

#[test]
fn the_error_of_a_malformed_record_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.json"), "{ \"status\": ").unwrap();
    let error = RunRecord::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("run.json") && error.contains("line 1"), "{error}");
    let text = format!("{{ \"status\": \"{}\" }}", "x".repeat(100_000));
    fs::write(folder.path().join("run.json"), text).unwrap();
    let error = RunRecord::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("run.json") && error.len() < 1000, "{error}");
}
