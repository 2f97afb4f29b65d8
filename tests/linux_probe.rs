#![allow(clippy::unwrap_used)]
use kernelize::linux::base::{Search, held};
use kernelize::linux::tree::Tree;
use kernelize::upstream::{Request, Silent, Tools, default_cache};
#[test]
fn probe() {
    let ruleset = kernelize::rules::load(None).unwrap();
    for t in ["6.12", "6.1"] {
        for source in ["/work/.mirror/facebook+zstd/repo", "packages"] {
            let tree = Tree::open(
                format!("/work/linux/linux-source-{t}").as_ref(),
                None,
                &ruleset.library,
            )
            .unwrap();
            let version = held(&tree, &ruleset).unwrap().unwrap();
            println!("{tree:?} {version}");
            let request = Request {
                library: &ruleset.library,
                source: Some(source.parse().unwrap()),
                release: None,
                offline: false,
                cache: default_cache(),
                tools: Tools::default(),
            };
            let start = std::time::Instant::now();
            let base = Search {
                tree: &tree,
                version,
                ruleset: &ruleset,
                profile: &ruleset.library.profiles[0],
                request: &request,
            }
            .nearest(&Silent);
            match base {
                Ok(base) => println!(
                    "{:?} {} {} {:?} {:?} {:?} {:#?} {:?}",
                    start.elapsed(),
                    base.release.name,
                    base.source,
                    base.profile,
                    base.distance,
                    base.importer,
                    base.tried,
                    base.notes
                ),
                Err(e) => println!("{e:?}"),
            }
        }
    }
}
