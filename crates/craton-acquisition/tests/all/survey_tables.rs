//! Errors in survey tables are reported with file, line and column, and with depths as written.

use std::path::Path;

use craton_acquisition::AcquisitionError;
use craton_acquisition::survey::{AtDepth, Extent, Survey, SurveyTables, WeightedPoint, table};
use craton_formats::FormatError;
use craton_formats::table::{Table, parse};

const DOMAIN: Extent = Extent { low: [0.0, -10.0, -500.0], high: [1000.0, 10.0, 0.0] };

fn tables(shots: &str, receivers: &str, relations: Option<&str>) -> SurveyTables {
    let read = |text: &str, name: &str| parse(text, Path::new(name)).unwrap();
    SurveyTables {
        shots: read(shots, "shots.csv"),
        receivers: read(receivers, "receivers.csv"),
        relations: relations.map(|text| read(text, "relations.csv")),
    }
}

/// Reads a survey from tables and checks it against the domain; returns the error message if either fails.
fn survey(tables: &SurveyTables) -> Result<Survey, String> {
    let shots = table::shots(&tables.shots).unwrap();
    let survey = match &tables.relations {
        _ if tables.receivers.column("shot").is_some() => {
            Survey::from_receivers_by_shot(shots, table::receivers_by_shot(&tables.receivers).unwrap())
        }
        None => Survey::fixed(shots, table::receivers(&tables.receivers).unwrap()),
        Some(relations) => {
            let receivers = table::receivers(&tables.receivers).unwrap();
            Survey::related(shots, receivers, &table::relations(relations).unwrap())
        }
    };
    let inside = |survey: Survey| survey.check_inside(&DOMAIN).map(|()| survey);
    survey.and_then(inside).map_err(|error| tables.located(error).to_string())
}

fn error(shots: &str, receivers: &str, relations: Option<&str>) -> String {
    survey(&tables(shots, receivers, relations)).unwrap_err()
}

const SHOTS: &str = "# two shots\nshot,x,y,depth\n\n11,0,0,5\n12,25,0,5\n";
const RECEIVERS: &str = "channel,x,y,depth\n1,100,0,8\n2,200,0,8\n3,300,0,8\n";
const BY_SHOT: &str = "shot,channel,x,y,z\n11,1,100,0,-8\n12,1,125,0,-8\n12,2,150,0,-8\n";

#[test]
fn survey_errors_name_file_line_and_column() {
    for (shots, receivers, relations) in
        [(SHOTS, RECEIVERS, None), (SHOTS, RECEIVERS, Some("shot from to\n11 1 2\n12 2 3\n")), (SHOTS, BY_SHOT, None)]
    {
        assert!(survey(&tables(shots, receivers, relations)).is_ok());
    }
    let domain =
        "outside the domain: x from 0 to 1000, y from -10 to 10, depth from 0 to 500 m; move it, or enlarge the domain";
    for (found, expected) in [
        (
            error(&SHOTS.replace("25,0,5", "25,0,-5"), RECEIVERS, None),
            format!("shots.csv:5, column `depth`: the source of shot 12 is at x = 25, y = 0, depth = -5 m, {domain}"),
        ),
        (
            error(SHOTS, &RECEIVERS.replace("300,0", "300,11.5"), None),
            format!(
                "receivers.csv:4, column `y`: the receiver of shot 11, channel 3 is at x = 300, y = 11.5, depth = 8 m, {domain}"
            ),
        ),
        (
            error(SHOTS, &BY_SHOT.replace("125,0,-8", "125,0,8"), None),
            format!(
                "receivers.csv:3, column `z`: the receiver of shot 12, channel 1 is at x = 125, y = 0, depth = -8 m, {domain}"
            ),
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn duplicate_and_unknown_numbers_are_reported_with_their_lines() {
    let relations = |text| error(SHOTS, RECEIVERS, Some(text));
    for (found, expected) in [
        (
            error(&SHOTS.replace("12,", "11,"), RECEIVERS, None),
            "shots.csv:5, column `shot`, as on line 4: two shots have",
        ),
        (
            error(SHOTS, &RECEIVERS.replace("3,300", "1,300"), None),
            "receivers.csv:4, column `channel`, as on line 2: two receivers of shot 11 have the channel 1",
        ),
        (
            error(SHOTS, &BY_SHOT.replace("12,2", "12,1"), None),
            "receivers.csv:4, column `channel`, as on line 3: two receivers of shot 12 have the channel 1",
        ),
        (error(SHOTS, &BY_SHOT.replace("12,", "11,"), None), "receivers.csv:3, column `channel`, as on line 2"),
        (error(SHOTS, &BY_SHOT.replace("11,1", "12,3"), None), "shots.csv:4, column `shot`: shot 11 has no receivers"),
        (
            error(SHOTS, &BY_SHOT.replace("12,2", "13,2"), None),
            "receivers.csv:4, column `shot`: receivers refer to shot 13",
        ),
        (
            relations("shot from to\n11 1 2\n12 2 3\n14 1 1\n"),
            "relations.csv:4, column `shot`: receivers refer to shot 14",
        ),
        (
            relations("shot from to\n11 1 2\n12 7 9\n"),
            "relations.csv:3, column `from`: shot 12 uses channels 7 to 9, but no receiver",
        ),
        (
            relations("shot from to\n11 1 2\n12 1 3\n11 2 3\n"),
            "relations.csv:4, column `from`, as on line 2: two receivers of shot 11 have the channel 2",
        ),
    ] {
        assert!(found.starts_with(expected), "`{found}` does not start with `{expected}`");
    }
}

#[test]
fn an_array_is_reported_by_its_row_outside_the_domain() {
    let shots = "shot,x,y,depth,weight\n11,10,0,5,1\n11,-10,0,5,1\n";
    let found = error(shots, RECEIVERS, None);
    assert!(found.starts_with("shots.csv:3, column `x`: the source of shot 11 is at x = -10, y = 0"), "{found}");
    // The array is defined elsewhere, so the row of its centre is reported.
    let tables = tables(SHOTS, RECEIVERS, None);
    let guns = [-3.0, 3.0].map(|x| WeightedPoint::new([x, 0.0, 0.0], 0.5));
    let wide = survey(&tables).unwrap().with_arrays(&guns, &[]).unwrap();
    let found = tables.located(wide.check_inside(&DOMAIN).unwrap_err()).to_string();
    assert!(found.starts_with("shots.csv:4, column `x`: the source of shot 11 is at x = -3, y = 0"), "{found}");
    let silent = table::shots(&parse("shot,x,y,depth,weight\n11,0,0,5,1\n12,9,0,5,0\n", Path::new("a.csv")).unwrap());
    assert_eq!(
        silent.unwrap_err().to_string(),
        "a.csv:3: weight = `0`; expected an array with at least one weight other than 0; a weight of 1 counts the point fully"
    );
}

#[test]
fn errors_without_a_table_row_are_unchanged() {
    let error = AcquisitionError::NoReceivers { shot: 99 };
    assert_eq!(tables(SHOTS, RECEIVERS, None).located(error.clone()), error);
    assert_eq!(AtDepth([1.5, -2.0, 0.0]).to_string(), "x = 1.5, y = -2, depth = 0 m", "without the sign of zero");
}

#[test]
fn semicolons_and_words_in_tables_of_shots_and_receivers_are_reported() {
    type Read = fn(&Table) -> Result<usize, FormatError>;
    let shots: Read = |table| table::shots(table).map(|shots| shots.len());
    let receivers: Read = |table| table::receivers(table).map(|receivers| receivers.len());
    for (key, read) in [("shot", shots), ("channel", receivers)] {
        let refused = |text: &str| {
            let text = text.replace("KEY", key);
            parse(&text, Path::new("a.csv")).and_then(|table| read(&table)).unwrap_err().to_string()
        };
        let hint = "the values are separated by semicolons; separate them by blanks or commas, and write decimal points, not decimal commas";
        assert_eq!(refused("KEY;x;y;depth\n1;0;0;5\n"), format!("a.csv:2: {hint}"));
        assert_eq!(refused("KEY,x,y,depth\n1,0,0,5\n2;0;0;5\n"), format!("a.csv:3: {hint}"));
        assert_eq!(refused("KEY;x;y;depth\n1,0,0,5\n"), format!("a.csv:2: {hint}"));
        let word = refused("KEY,x,y,depth\n1,0,0,5\n2,west,0,5\n");
        assert_eq!(word, "a.csv:3: x = `west`; expected a number, like 1250, -0.5 or 1.2e-3");
        let gap = refused("KEY,x,y,depth\n1,0,0,5\n2,0,,5\n");
        assert_eq!(gap, "a.csv:3: y = ``; expected a number, like 1250, -0.5 or 1.2e-3");
        let name = refused("KEY,x,y,depth\nA1,0,0,5\n");
        assert_eq!(name, format!("a.csv:2: {key} = `A1`; expected a number, like 1250, -0.5 or 1.2e-3"));
        let missing = refused("KEY,x,depth\n1,0,5\n");
        assert_eq!(
            missing,
            format!("a.csv:1: there is no column `y`, only `{key}`, `x`, `depth`; rename or add the column")
        );
    }
}
