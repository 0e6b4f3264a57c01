//! Every example is a scenario that Craton accepts.

use std::path::PathBuf;

use craton::Scenario;

#[test]
fn every_example_is_accepted() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["full_space", "half_space", "loh1", "valley", "anisotropic", "bolivia"] {
        let file = folder.join(name).join(format!("{name}.toml"));
        if let Err(craton::Error::Scenario(errors)) = Scenario::read(&file, &[]) {
            panic!("{}", errors.lines());
        }
    }
}
