//! Checks that the documentation builds without warnings and has no broken links.

use crate::shell;
use anyhow::{Result, bail};
use serde_json::Value;

/// Builds the documentation of every crate.
///
/// The compiler mistakes units in brackets, `[m]`, for links. The lint is therefore allowed in the workspace and enabled here, where only names in
/// backticks, which are intended as links, count.
pub fn check() -> Result<()> {
    let mut command = shell::cargo("doc --release --workspace --no-deps --message-format=json");
    command.env("RUSTDOCFLAGS", "-D warnings --force-warn rustdoc::broken_intra_doc_links");
    let messages = shell::output(&mut command)?;
    let broken: Vec<String> = messages.lines().filter_map(broken_link).collect();
    if !broken.is_empty() {
        bail!("broken links:\n{}", broken.join("\n"));
    }
    Ok(())
}

/// The text of a message of cargo about a link in backticks.
fn broken_link(line: &str) -> Option<String> {
    let json: Value = serde_json::from_str(line).ok()?;
    let message = json.get("message")?;
    if message["code"]["code"] != "rustdoc::broken_intra_doc_links" {
        return None;
    }
    let code = message["spans"][0]["text"][0]["text"].as_str().unwrap_or_default();
    let target = message["message"].as_str()?.split('`').nth(1)?;
    let is_unit = code.contains(&format!("[{target}]"));
    (!is_unit).then(|| message["rendered"].as_str().unwrap_or(target).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(code: &str, target: &str) -> String {
        let message = json!({
            "code": { "code": "rustdoc::broken_intra_doc_links" },
            "message": format!("unresolved link to `{target}`"),
            "rendered": format!("unresolved {target}"),
            "spans": [{ "text": [{ "text": code }] }],
        });
        json!({ "reason": "compiler-message", "message": message }).to_string()
    }

    #[test]
    fn units_are_no_links() {
        assert_eq!(broken_link(&message("/// Duration [s].", "s")), None);
        let lost = broken_link(&message("/// As [`Lost::call`] does.", "Lost::call"));
        assert_eq!(lost.as_deref(), Some("unresolved Lost::call"));
        assert_eq!(broken_link("{\"reason\":\"build-finished\"}"), None);
    }
}
