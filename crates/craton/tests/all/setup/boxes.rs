//! Boxes on the map.

use std::path::Path;

use super::common::{errors, set_up};

#[test]
fn a_box_in_degrees_contains_its_range_in_the_utm_zone_of_its_centre() {
    const BOX: &str = "x = [-4000.0, 14000.0]\ny = [-4000.0, 14000.0]";
    let with = |region: &str| set_up(Path::new("."), &[(BOX, &format!("region = {region}"))]);
    let setup = with("{ longitude = [10.5, 11.5], latitude = [45.7, 46.3] }").unwrap();
    for (longitude, latitude) in [(10.5, 45.7), (11.5, 45.7), (10.5, 46.3), (11.5, 46.3), (11.0, 46.3), (11.0, 45.7)] {
        let [x, y] = setup.frame.to_model(longitude, latitude).unwrap();
        assert!(setup.x[0] <= x && x <= setup.x[1] && setup.y[0] <= y && y <= setup.y[1], "{longitude} {latitude}");
    }
    let [width, height] = [setup.x, setup.y].map(|[low, high]| high - low);
    assert!((width - 77.8e3).abs() < 1.5e3 && (height - 67.5e3).abs() < 1.5e3, "{width} {height}");
    assert!(setup.region.unwrap().contains("UTM zone 32N, origin at longitude 11, latitude 46"));
    let south = with("{ centre = { longitude = -70.5, latitude = -20.0 }, widths = [60e3, 40e3] }").unwrap();
    assert_eq!((south.x, south.y), ([-30e3, 30e3], [-20e3, 20e3]));
    assert!(south.region.unwrap().contains("UTM zone 19S"));
    let refused = |region: &str| errors(Path::new("."), &[(BOX, &format!("region = {region}"))]);
    assert!(refused("{ longitude = [10.5, 11.5] }").contains("requires `longitude` and `latitude`"));
    assert!(refused("{ longitude = [11.5, 10.5], latitude = [45.7, 46.3] }").contains("ascending order"));
    let both = errors(
        Path::new("."),
        &[(BOX, &format!("{BOX}\nregion = {{ longitude = [10.5, 11.5], latitude = [45.7, 46.3] }}"))],
    );
    assert!(both.contains("domain.region: conflicts with `x`"), "{both}");
}

#[test]
fn a_box_may_be_turned_and_lie_anywhere() {
    const BOX: &str = "x = [-4000.0, 14000.0]\ny = [-4000.0, 14000.0]";
    let with = |region: &str| set_up(Path::new("."), &[(BOX, &format!("region = {region}"))]);
    let turned = with("{ centre = { longitude = 11.0, latitude = 46.0 }, widths = [60e3, 40e3], azimuth = 30.0 }");
    let turned = turned.unwrap();
    assert_eq!((turned.x, turned.y), ([-30e3, 30e3], [-20e3, 20e3]));
    // Ten kilometres to the north are to the left of the y axis.
    let [x, y] = turned.frame.to_model(11.0, 46.0 + 10.0 / 111.14).unwrap();
    assert!((x + 5000.0).abs() < 5.0 && (y - 8660.0).abs() < 5.0, "{x} {y}");
    let words = turned.region.unwrap();
    assert!(words.contains("azimuthal equidistant, y axis towards 30 degrees"), "{words}");
    // At the pole there is no UTM zone.
    let polar = with("{ longitude = [-10.0, 10.0], latitude = [86.0, 88.0] }").unwrap();
    assert!(polar.region.unwrap().contains("azimuthal"));
    let written = "x = [-4000.0, 14000.0]\ny = [-4000.0, 14000.0]\nprojection.azimuthal = { origin = { longitude = 11.0, latitude = 46.0 }, azimuth = 30.0 }";
    assert_eq!(set_up(Path::new("."), &[(BOX, written)]).unwrap().frame, turned.frame);
    let refused = errors(
        Path::new("."),
        &[(BOX, "region = { longitude = [10.5, 11.5], latitude = [45.7, 46.3], azimuth = 30.0 }")],
    );
    assert!(refused.contains("`azimuth` requires a centre"), "{refused}");
}
