//! Traces that an operation or a format cannot take.

use super::*;

#[test]
fn traces_of_a_folder_that_cannot_be_integrated_are_left_out() {
    let (_folder, from, to) = folders();
    let both = [trace("Z", Quantity::Velocity, step(1.0)), trace("Z", Quantity::Displacement, step(2.0))];
    write(&from, SeismogramFormat::Sac, &both);
    let done = process(std::slice::from_ref(&from), &to, &plan(&[Operation::Integrate])).expect("integrated");
    assert_eq!((done.files, done.left_out, names(&to)), (1, 1, vec!["XX.S1.displacement.Z.sac".to_owned()]));
    assert!(done.to_string().contains("1 trace left out: the result of these operations on the quantity has no name"));
    // The result is that of velocity, not the displacement of the folder.
    let integral = sac::read(&to.join("XX.S1.displacement.Z.sac")).expect("readable").samples;
    assert!(f64::from(*integral.last().expect("samples")) > 5.0);
    // A file that is named is not left out.
    let named = [from.join("XX.S1.displacement.Z.sac"), from.clone()];
    let said =
        process(&named, &to.with_file_name("other"), &plan(&[Operation::Integrate])).expect_err("named").to_string();
    assert!(said.contains("displacement.Z.sac: --integrate: the result of this operation on displacement"), "{said}");
}

#[test]
fn samples_that_a_format_cannot_store_are_named_with_file_and_number() {
    let (_folder, from, to) = folders();
    fs::create_dir_all(&from).expect("a folder");
    let file = from.join("XX.S1.velocity.Z.txt");
    fs::write(&file, "0 1\n0.1 2\n0.2 1e39\n0.3 4\n").expect("written");
    let sac = ProcessingPlan { format: Some(SeismogramFormat::Sac), ..ProcessingPlan::default() };
    let said = process(std::slice::from_ref(&from), &to, &sac).expect_err("too large").to_string();
    let expected =
        "XX.S1.velocity.Z.txt: sample 2 is 1e39 after processing; the output format stores finite numbers up to";
    assert!(said.contains(expected) && !said.contains("unstable"), "{said}");
    let large = plan(&[Operation::Scale(1e300)]);
    let said = process(std::slice::from_ref(&from), &to, &large).expect_err("infinite").to_string();
    assert!(said.contains("sample 2 is inf after processing; the output format stores finite numbers"), "{said}");
    assert!(names(&to).is_empty());
}
