//! Which contract applies if several layers have one id.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use phaser_core::file_kind::FileKinds;

struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().expect("has a parent")).expect("created");
        fs::write(path, bytes).expect("written");
        self
    }

    fn contract(&self, path: &str, id: &str, message: &str) -> &Self {
        self.write(path, contract(id, message))
    }

    fn load(&self) -> Loaded {
        let layers = [self.layer(LayerKind::Project, "project"), self.layer(LayerKind::User, "user")];
        load(&layers, Loading::whole(is_called_broken))
    }

    fn layer(&self, kind: LayerKind, name: &str) -> Layer {
        let path = self.directory.path().join(name);
        Layer::of_directory(ContractDirectory { kind, path, shown: name.into(), nested_only: false })
    }
}

fn is_called_broken(contract: &Contract) -> Option<Warning> {
    (contract.message == "broken").then(|| Warning::about(&contract.origin.file, "broken"))
}

fn contract(id: &str, message: &str) -> String {
    format!("rule_id: {id}\ntype: file_exists\nfile_glob: LICENSE\nmessage: {message}\nseverity: error\n")
}

fn messages(layers: &Loaded) -> Vec<&str> {
    layers.contracts.iter().map(|contract| contract.message.as_str()).collect()
}

fn warnings(layers: &Loaded) -> Vec<String> {
    layers.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn reads_both_directories_in_name_order() {
    let fixture = Fixture::new();
    fixture.contract("user/a.yaml", "u", "user").contract("project/b.yml", "b", "second");
    fixture.contract("project/a.yaml", "a", "first");
    fixture.write("project/notes.txt", "x").write("project/.a.yaml", "x");
    let layers = fixture.load();
    assert_eq!(messages(&layers), ["first", "second", "user"]);
    assert!(layers.warnings.is_empty());
}

#[test]
fn project_wins_by_id_even_if_disabled() {
    let fixture = Fixture::new();
    fixture.contract("user/a.yaml", "a", "user").contract("user/b.yaml", "b", "user");
    fixture.contract("project/x.yaml", "a", "project");
    fixture.write("project/y.yaml", contract("b", "off") + "enabled: false\n");
    let layers = fixture.load();
    assert_eq!(messages(&layers), ["project", "off"]);
    assert_eq!(layers.shadowed.len(), 2);
    assert!(layers.warnings.is_empty());
}

#[test]
fn notes_user_contract_disabled_by_project() {
    let fixture = Fixture::new();
    let off = |id| contract(id, "off") + "enabled: false\n";
    fixture.write("project/a.yaml", off("a")).contract("user/a.yaml", "a", "user");
    fixture.write("project/b.yaml", off("b")).write("user/b.yaml", off("b"));
    fixture.contract("project/c.yaml", "c", "project").contract("user/c.yaml", "c", "user");
    fixture.write("project/d.yaml", off("d"));
    let notes: Vec<_> = fixture.load().notes().collect();
    assert_eq!(notes, ["a of user/a.yaml is disabled by project/a.yaml"]);
}

#[test]
fn first_enabled_duplicate_applies() {
    let fixture = Fixture::new();
    fixture.write("project/a.yaml", contract("x", "off") + "enabled: false\n");
    fixture.contract("project/b.yaml", "x", "on").contract("project/c.yaml", "x", "late");
    let layers = fixture.load();
    assert_eq!(messages(&layers), ["on"]);
    let expected = ["project/a.yaml", "project/c.yaml"].map(|file| {
        format!("{file}: duplicate rule id 'x'; using the one in project/b.yaml (rename one of them)")
    });
    assert_eq!(warnings(&layers), expected);
}

#[test]
fn broken_contract_hides_none() {
    let fixture = Fixture::new();
    fixture.contract("project/a.yaml", "x", "broken").contract("project/b.yaml", "x", "second");
    fixture.contract("project/c.yaml", "y", "broken").contract("user/c.yaml", "y", "user");
    fixture.write("project/d.yaml", contract("z", "broken") + "enabled: false\n");
    fixture.contract("user/d.yaml", "z", "switched off");
    let layers = fixture.load();
    assert_eq!(messages(&layers), ["second", "user", "broken"]);
    assert_eq!(warnings(&layers), ["project/a.yaml: broken", "project/c.yaml: broken"]);
}

#[test]
fn layers_apply_in_list_order() {
    let fixture = Fixture::new();
    for layer in ["one", "two", "three"] {
        fixture.contract(&format!("{layer}/a.yaml"), "a", layer);
    }
    let names = ["two", "three", "one"];
    let layers = names.map(|name| fixture.layer(LayerKind::Project, name));
    let loaded = load(&layers, Loading::whole(is_called_broken));
    assert_eq!(messages(&loaded), ["two"]);
    let shadowed: Vec<_> = loaded.shadowed.iter().map(|contract| contract.message.as_str()).collect();
    assert_eq!(shadowed, ["three", "one"]);
}

#[test]
fn directories_are_known_by_their_real_path() {
    let fixture = Fixture::new();
    fixture.contract("real/a.yaml", "a", "a");
    let top = fixture.directory.path().canonicalize().expect("it exists");
    std::os::unix::fs::symlink("real", top.join("project")).expect("linked");
    let layers = fixture.load();
    assert_eq!(messages(&layers), ["a"]);
    assert_eq!(layers.directories().collect::<Vec<_>>(), [top.join("real")], "the other one is not there");
}

#[test]
fn exempts_contract_files_by_real_path() {
    let fixture = Fixture::new();
    fixture.contract("project/rules/a.yaml", "a", "a").contract("shared/b.yaml", "b", "b");
    let top = fixture.directory.path().canonicalize().expect("it exists");
    fs::create_dir_all(top.join("project/.claude")).expect("created");
    std::os::unix::fs::symlink("../../shared", top.join("project/.claude/contracts")).expect("linked");
    let layers =
        ["project/rules", "project/.claude/contracts"].map(|name| fixture.layer(LayerKind::Named, name));
    let loaded = load(&layers, Loading::whole(is_called_broken));
    let outside = format!("{}/shared", top.display()).trim_start_matches('/').to_owned();
    let usual = [".claude/contracts", ".claude/phaser-baseline.jsonl", ".phaser/contracts"];
    let mut expected = [usual[0], usual[1], usual[2], &outside, "rules"].map(RelPath::from);
    expected.sort();
    assert_eq!(loaded.exempt(&Root::new(top.join("project"))), expected);
}

#[test]
fn project_file_overrides_pack_contract() {
    let fixture = Fixture::new();
    let pack = crate::packs::find("secrets").expect("there is one");
    let (id, count) = (pack.files()[0].id, pack.files().len());
    fixture.contract("project/mine.yaml", id, "mine");
    let layers = [fixture.layer(LayerKind::Project, "project"), Layer::of_pack(pack)];
    for loading in [Loading::whole(is_called_broken), Loading::to_enforce(is_called_broken)] {
        let loaded = load(&layers, loading);
        assert_eq!((messages(&loaded)[0], loaded.contracts.len()), ("mine", count));
        assert_eq!(loaded.shadowed[0].origin.file, Path::new(&format!("pack:secrets/{id}.yaml")));
    }
}

#[test]
fn warns_about_unread_files_at_deadline() {
    let fixture = Fixture::new();
    fixture.contract("project/a.yaml", "a", "a").contract("project/b.yaml", "b", "b");
    let late = Loading { deadline: Deadline::after(Duration::ZERO), ..Loading::to_enforce(is_called_broken) };
    let layers = load(&[fixture.layer(LayerKind::Project, "project")], late);
    assert_eq!(messages(&layers), [""; 0]);
    assert_eq!(
        warnings(&layers),
        ["project: timed out: 2 files from a.yaml on not loaded (remove unused contracts)"]
    );
}

#[test]
fn validates_pattern_once_per_id() {
    static JUDGED: AtomicUsize = AtomicUsize::new(0);
    let fixture = Fixture::new();
    for number in 0..9 {
        fixture.contract(&format!("project/{number}.yaml"), "same", "x");
    }
    let judge = |_: &Contract| {
        JUDGED.fetch_add(1, Ordering::Relaxed);
        None
    };
    let layers = load(&[fixture.layer(LayerKind::Project, "project")], Loading::whole(judge));
    assert_eq!(layers.contracts.len(), 1);
    assert_eq!(JUDGED.load(Ordering::Relaxed), 1);
}

/// Texts that contain nothing.
struct Empty;

impl LiteralFilter for Empty {
    fn may_contain(&self, _: &[u8]) -> bool {
        false
    }

    fn may_contain_run(&self, _: [u64; 4], _: usize) -> bool {
        false
    }
}

impl TargetFilter for Empty {
    fn may_have_name(&self, _: &dyn Fn(&[u8]) -> bool) -> bool {
        true
    }

    fn may_be_outside(&self, _: FileKinds) -> bool {
        true
    }
}

/// The contracts after loading packs for texts that contain nothing.
fn read_for_nothing(layers: &[Layer], overrides: &[Override]) -> Loaded {
    let mut loaded = load_lazily(layers.to_vec(), Loading::to_enforce(is_called_broken));
    let config = crate::config::Config { overrides: overrides.to_vec(), ..Default::default() };
    loaded.configs.push(DirectoryConfig { config, ..DirectoryConfig::default() });
    loaded.load_packs(Some(&Empty));
    loaded
}

fn switch_off(ids: &[&str]) -> Override {
    let contracts = ids.iter().map(|id| Selector::new(id).expect("a selector")).collect();
    let change = phaser_core::contract::scope::OverrideValues { enabled: Some(false), severity: None };
    Override {
        contracts,
        line: 1,
        case: FileOverride { files: phaser_core::contract::scope::FileSet::default(), change },
    }
}

#[test]
fn loads_one_pack_contract_at_least() {
    let pack = crate::packs::find("secrets").expect("a pack");
    let layers = [Layer::of_pack(pack)];
    let ids = |layers: &Loaded| layers.contracts.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    let first = pack.files()[0].id;
    assert_eq!(ids(&read_for_nothing(&layers, &[])), [first]);
    // It may be the only enabled contract.
    let read = read_for_nothing(&layers, &[switch_off(&[first])]);
    assert_eq!(read.contracts.len(), pack.files().len());
    assert_eq!(read.contracts.iter().filter(|contract| !contract.enabled).count(), 1);
}

#[test]
fn reads_all_contracts_with_duplicate_ids() {
    let pack = crate::packs::find("secrets").expect("a pack");
    let (fixture, ids) = (Fixture::new(), [pack.files()[1].id, pack.files()[2].id]);
    fixture.contract("project/a.yaml", ids[0], "own").contract("project/b.yaml", ids[1], "broken");
    let layers = [fixture.layer(LayerKind::Project, "project"), Layer::of_pack(pack)];
    let (some, all) = (read_for_nothing(&layers, &[]), load(&layers, Loading::to_enforce(is_called_broken)));
    assert_eq!((&some.contracts, &some.shadowed), (&all.contracts, &all.shadowed));
    assert_eq!(some.warnings, all.warnings);
    fixture.contract("project/a.yaml", "a", "own").contract("project/b.yaml", "b", "broken");
    let some = read_for_nothing(&layers, &[]);
    assert_eq!(some.contracts.len(), 3, "own ones, and the first of the pack");
}
