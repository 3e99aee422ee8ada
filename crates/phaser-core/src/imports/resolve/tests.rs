use std::collections::BTreeMap;

use super::*;
use crate::code::engine::CodeTrees;
use crate::deadline::Deadline;
use crate::imports::ProjectView;
use crate::path::RelPath;

/// Files with their texts.
struct Files(BTreeMap<String, String>);

impl ProjectView for Files {
    fn entry(&self, path: &str) -> Option<EntryKind> {
        let inside = format!("{path}/");
        match () {
            () if self.0.contains_key(path) => Some(EntryKind::File),
            () if path.is_empty() || self.0.keys().any(|file| file.starts_with(&inside)) => {
                Some(EntryKind::Directory)
            }
            () => None,
        }
    }

    fn list(&self, directory: &str) -> Vec<(String, EntryKind)> {
        let inside = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let mut found: Vec<_> = self
            .0
            .keys()
            .filter_map(|file| file.strip_prefix(&inside))
            .map(|rest| match rest.split_once('/') {
                Some((name, _)) => (name.to_owned(), EntryKind::Directory),
                None => (rest.to_owned(), EntryKind::File),
            })
            .collect();
        found.dedup();
        found
    }

    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }
}

/// The targets of each import of `text`, with its text. A path starts with `/`.
fn targets(files: &[(&str, &str)], path: &str, text: &str) -> Vec<String> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let resolver = Resolver::new(Arc::new(Files(files)));
    let path = RelPath::from(path);
    let trees = CodeTrees::new(&path, text.as_bytes(), Deadline::NEVER);
    let imports = resolver.imports(&path, &trees).expect("searched");
    let shown = |target: &ImportTarget| match target {
        ImportTarget::Path(path) => format!("/{path}"),
        ImportTarget::Name(name) => name.clone(),
    };
    let line = |span: &Range<usize>, targets: &[ImportTarget]| {
        let targets: Vec<_> = targets.iter().map(shown).collect();
        format!("{}: {}", &text[span.clone()], targets.join(" "))
    };
    imports
        .iter()
        .flat_map(|import| {
            let own = import.is_module.then(|| line(&import.span, &import.targets));
            own.into_iter().chain(import.members.iter().map(|member| line(&member.span, &member.targets)))
        })
        .collect()
}

#[test]
fn resolves_python() {
    let files = [
        ("pyproject.toml", ""),
        ("src/app/__init__.py", ""),
        ("src/app/infra/__init__.py", ""),
        ("src/app/infra/db.py", ""),
        ("src/app/plain/util.py", ""),
        ("src/app/domain/order.py", ""),
        ("setup.py", ""),
        ("docs/index.md", ""),
        ("libs/shared/pyproject.toml", ""),
        ("libs/shared/src/shared/__init__.py", ""),
        ("libs/one/pyproject.toml", ""),
        ("libs/one/twice.py", ""),
        ("libs/two/pyproject.toml", ""),
        ("libs/two/twice.py", ""),
    ];
    let text = "\
import app.infra.db as db, requests.adapters
from app import infra, VERSION
from app.infra import db
from app.infra.db import connect
from ..infra import db, cache
from .. import infra
from . import *
from .missing import x
from .... import far
from ..... import beyond
from app.infra.gone import x
import app.plain, docs, setup, shared, twice
from __future__ import annotations
";
    let found = targets(&files, "src/app/domain/order.py", text);
    insta::assert_snapshot!(found.join("\n"), @"
    app.infra.db: /src/app/infra/db.py
    requests.adapters: requests.adapters
    app: /src/app/__init__.py /src/app
    infra: /src/app/infra/__init__.py /src/app/infra
    db: /src/app/infra/db.py
    app.infra.db: /src/app/infra/db.py
    ..infra: /src/app/infra/__init__.py /src/app/infra
    db: /src/app/infra/db.py
    infra: /src/app/infra/__init__.py /src/app/infra
    .: /src/app/domain
    .missing: /src/app/domain/missing
    ....: /.
    .....: .....
    app.infra.gone: app.infra.gone
    app.plain: /src/app/plain
    docs: docs
    setup: /setup.py
    shared: /libs/shared/src/shared/__init__.py /libs/shared/src/shared
    twice: twice
    ");
}

#[test]
fn python_prefers_own_project() {
    let files = [
        ("libs/one/pyproject.toml", ""),
        ("libs/one/twice.py", ""),
        ("libs/two/pyproject.toml", ""),
        ("libs/two/twice.py", ""),
    ];
    let text = "import twice\n";
    assert_eq!(targets(&files, "libs/two/pkg/a.py", text), ["twice: /libs/two/twice.py"]);
    assert_eq!(targets(&files, "libs/two/twice.py", text), [""; 0], "a file does not import itself");
}

#[test]
fn resolves_scripts() {
    let files = [
        (
            "package.json",
            r##"{"workspaces": ["packages/*", "!packages/old"], "imports": {"#lib/*": {"browser": "./src/lib/*.web.js", "default": "./src/lib/*.js"}}}"##,
        ),
        ("packages/ui/package.json", r#"{"name": "@acme/ui", "main": "dist/index.js"}"#),
        ("packages/ui/src/button.tsx", ""),
        ("packages/old/package.json", r#"{"name": "@acme/old"}"#),
        (
            "tsconfig.base.json",
            "{\"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"], /* exact */ \"@/env\": [\"./env.ts\"],}}}",
        ),
        ("tsconfig.json", r#"{"extends": "./tsconfig.base", "compilerOptions": {}}"#),
        ("env.ts", ""),
        ("src/infra/index.ts", ""),
        ("src/infra/db.ts", ""),
        ("src/lib/a.ts", ""),
        ("src/lib/a.web.js", ""),
        ("src/data.json", ""),
        ("src/view/main.js", ""),
        ("src/view/package.json", r#"{"main": "main"}"#),
        ("src/types.d.ts", ""),
        ("src/app/order.ts", ""),
    ];
    let text = "\
import '../infra';
import '../infra/db';
import '../infra/db.js';
import '../data.json';
import './missing';
import '..';
import '../view';
import '../types';
import '../../../out';
import '@/infra/db';
import '@/env';
import '@/gone';
import '@/../env';
import '@/../../env';
import '@acme/ui';
import '@acme/ui/src/button';
import '@acme/ui/../ui/src/button';
import '@acme/old';
import '@acme/uikit';
import '#lib/a';
import '#gone';
import 'lodash/fp';
import '/abs';
import './style.css?inline';
";
    let found = targets(&files, "src/app/order.ts", text);
    insta::assert_snapshot!(found.join("\n"), @"
    ../infra: /src/infra/index.ts /src/infra
    ../infra/db: /src/infra/db.ts
    ../infra/db.js: /src/infra/db.ts
    ../data.json: /src/data.json
    ./missing: /src/app/missing
    ..: /src
    ../view: /src/view/main.js /src/view
    ../types: /src/types.d.ts
    ../../../out: ../../../out
    @/infra/db: /src/infra/db.ts
    @/env: /env.ts
    @/gone: @/gone
    @/../env: /env.ts
    @/../../env: @/../../env
    @acme/ui: /packages/ui
    @acme/ui/src/button: /packages/ui/src/button.tsx
    @acme/ui/../ui/src/button: /packages/ui/src/button.tsx
    @acme/old: @acme/old
    @acme/uikit: @acme/uikit
    #lib/a: /src/lib/a.ts /src/lib/a.web.js
    #gone: #gone
    lodash/fp: lodash/fp
    /abs: /abs
    ./style.css?inline: /src/app/style.css
    ");
}

#[test]
fn scripts_use_nearest_configuration() {
    let files = [
        ("web/tsconfig.json", r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}]}"#),
        ("web/tsconfig.app.json", r#"{"compilerOptions": {"baseUrl": "./src", "paths": {"~/*": ["*"]}}}"#),
        ("web/src/a.ts", ""),
        ("web/src/b/index.js", ""),
        ("pnpm-workspace.yaml", "packages:\n  - 'libs/**'\n"),
        ("libs/deep/core/package.json", r#"{"name": "core"}"#),
        ("libs/log/package.json", r#"{"name": "log", "main": "./index.js"}"#),
        ("libs/log/index.ts", ""),
    ];
    let text = "import '~/a'; import 'b'; import 'core'; import 'log'; import 'c';";
    let found = targets(&files, "web/src/main.tsx", text);
    assert_eq!(
        found,
        [
            "~/a: /web/src/a.ts",
            "b: /web/src/b/index.js /web/src/b",
            "core: /libs/deep/core",
            "log: /libs/log/index.ts /libs/log",
            "c: c"
        ]
    );
    let cyclic = [("tsconfig.json", r#"{"extends": "./tsconfig.json"}"#)];
    assert_eq!(targets(&cyclic, "a.ts", "import 'b';"), ["b: b"]);
}

#[test]
fn resolves_go() {
    let files = [
        (
            "go.mod",
            "module example.com/app // the app\n\ngo 1.21\n\nreplace (\n\texample.com/fork v1 => ./third/fork\n\texample.com/far => ../far\n)\n",
        ),
        ("internal/infra/db.go", ""),
        ("go.work", "use (\n\t.\n\t./tools\n)\n"),
        ("tools/go.mod", "module example.com/app/tools\n"),
    ];
    let text = "package a\nimport (\n\"fmt\"\n\"example.com/app\"\n\"example.com/app/internal/infra\"\n\"example.com/application\"\n\"example.com/fork/x\"\n\"example.com/far\"\n\"example.com/app/tools/lint\"\n)\n";
    let found = targets(&files, "internal/domain/order.go", text);
    insta::assert_snapshot!(found.join("\n"), @"
    fmt: fmt
    example.com/app: /.
    example.com/app/internal/infra: /internal/infra
    example.com/application: example.com/application
    example.com/fork/x: /third/fork/x
    example.com/far: example.com/far
    example.com/app/tools/lint: /tools/lint
    ");
}

#[test]
fn resolves_rust() {
    let files = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['crates/*']\n[workspace.dependencies]\nacme-store = { path = 'crates/store' }\n",
        ),
        (
            "crates/app/Cargo.toml",
            "[package]\nname = 'acme-app'\n[dependencies]\nacme-store.workspace = true\nserde = '1'\nnear = { path = '../near' }\nodd = { path = '../odd' }\n",
        ),
        ("crates/app/src/lib.rs", ""),
        ("crates/app/src/infra/mod.rs", ""),
        ("crates/app/src/infra/db.rs", ""),
        ("crates/app/src/domain.rs", ""),
        ("crates/app/src/domain/order.rs", ""),
        ("crates/app/src/domain/order/line.rs", ""),
        ("crates/app/tests/it/main.rs", ""),
        ("crates/app/tests/it/harness.rs", ""),
        ("crates/store/Cargo.toml", "[package]\nname = 'acme-store'\n[lib]\npath = 'lib.rs'\n"),
        ("crates/store/lib.rs", ""),
        ("crates/store/sql.rs", ""),
        ("crates/near/Cargo.toml", "[package]\nname = 'near'\n"),
        ("crates/near/src/lib.rs", ""),
        ("crates/odd/Cargo.toml", "[package]\nname = 'odd'\n[lib]\npath = '../shared/lib.rs'\n"),
    ];
    let text = "\
use crate::infra::db::{Pool, self};
use crate::infra::Cache;
use crate::Config;
use super::Customer;
use super::super::infra;
use self::line::Line;
use line::Line as L;
use acme_store::sql::Query;
use near::Thing;
use odd::Thing as T;
use serde::Serialize;
use std::fs;
use ::acme_store::Store;
extern crate serde;
mod tests { use super::*; use super::super::Customer; }
";
    let found = targets(&files, "crates/app/src/domain/order.rs", text);
    insta::assert_snapshot!(found.join("\n"), @"
    Pool: /crates/app/src/infra/db.rs /crates/app/src/infra/db
    self: /crates/app/src/infra/db.rs /crates/app/src/infra/db
    crate::infra::Cache: /crates/app/src/infra/mod.rs /crates/app/src/infra
    crate::Config: /crates/app/src/lib.rs
    super::Customer: /crates/app/src/domain.rs /crates/app/src/domain
    super::super::infra: /crates/app/src/infra/mod.rs /crates/app/src/infra
    self::line::Line: /crates/app/src/domain/order/line.rs /crates/app/src/domain/order/line
    line::Line: /crates/app/src/domain/order/line.rs /crates/app/src/domain/order/line
    acme_store::sql::Query: /crates/store/sql.rs /crates/store/sql
    near::Thing: /crates/near/src/lib.rs
    odd::Thing: /crates/shared/lib.rs
    serde::Serialize: serde::Serialize
    std::fs: std::fs
    ::acme_store::Store: /crates/store/lib.rs
    serde: serde
    super::super::Customer: /crates/app/src/domain.rs /crates/app/src/domain
    ");
    let text = "use acme_app::infra::db;\nuse crate::harness::Sandbox;\nuse harness::Sandbox;\n";
    assert_eq!(
        targets(&files, "crates/app/tests/it/main.rs", text),
        [
            "acme_app::infra::db: /crates/app/src/infra/db.rs /crates/app/src/infra/db",
            "crate::harness::Sandbox: /crates/app/tests/it/harness.rs /crates/app/tests/it/harness",
            "harness::Sandbox: /crates/app/tests/it/harness.rs /crates/app/tests/it/harness",
        ]
    );
}

#[test]
fn resolves_java() {
    let files = [
        ("app/src/main/java/com/acme/web/Page.java", ""),
        ("app/src/main/java/com/acme/domain/Order.java", ""),
        ("store/src/main/java/com/acme/store/Db.java", ""),
        ("one/src/main/java/com/acme/Twice.java", ""),
        ("two/src/main/java/com/acme/Twice.java", ""),
    ];
    let text = "package com.acme.web;\nimport com.acme.domain.Order;\nimport com.acme.domain.Order.Line;\n\
                import static com.acme.store.Db.open;\nimport com.acme.store.*;\nimport java.util.List;\nimport com.acme.Twice;\n";
    let found = targets(&files, "app/src/main/java/com/acme/web/Page.java", text);
    insta::assert_snapshot!(found.join("\n"), @"
    com.acme.domain.Order: /app/src/main/java/com/acme/domain/Order.java
    com.acme.domain.Order.Line: /app/src/main/java/com/acme/domain/Order.java
    com.acme.store.Db.open: /store/src/main/java/com/acme/store/Db.java
    com.acme.store: /store/src/main/java/com/acme/store
    java.util.List: java.util.List
    com.acme.Twice: com.acme.Twice
    ");
}

#[test]
fn resolves_other_languages() {
    let files = [("include/infra/db.h", ""), ("src/app/order.h", ""), ("src/util.h", ""), ("lib/b.rb", "")];
    let text = "#include \"order.h\"\n#include \"infra/db.h\"\n#include \"../util.h\"\n#include \"util.h\"\n#include \"gone.h\"\n#include <vector>\n";
    assert_eq!(
        targets(&files, "src/app/order.c", text),
        [
            "order.h: /src/app/order.h",
            "infra/db.h: /include/infra/db.h",
            "../util.h: /src/util.h",
            "util.h: /src/util.h",
            "gone.h: gone.h",
            "vector: vector",
        ]
    );
    let text = "require 'json'\nrequire_relative '../lib/b'\nrequire_relative 'c'\n";
    assert_eq!(targets(&files, "app/a.rb", text), ["json: json", "../lib/b: /lib/b.rb", "c: /app/c.rb"]);
    let text = "<?php\nuse App\\Infra\\Db;\n";
    assert_eq!(targets(&files, "a.php", text), ["App\\Infra\\Db: App\\Infra\\Db App/Infra/Db"]);
    assert_eq!(targets(&files, "a.cs", "using Acme.Infra;\n"), ["Acme.Infra: Acme.Infra"]);
}
