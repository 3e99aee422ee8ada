import UIKit

final class Loader {
    func load(_ url: URL?) -> Data? {
        do {
            return try Data(contentsOf: url!)
        } catch {
        }
        let image = UIImage(named: "café")
        return nil
    }

    let root = UIApplication.shared.keyWindow?.rootViewController!   // TODO
    let view = root! // phaser:ignore no-force-unwrap
    let bare = root! // phaser:ignore
}
