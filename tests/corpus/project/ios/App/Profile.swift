import Foundation

struct Profile {
    let name: String?

    func title() -> String {
        let value = name!
        let upper = name!.uppercased()
        return value + upper
    }

    func isGuest() -> Bool {
        return name != nil
    }

    func short() -> Substring {
        return self.name!// sometimes
    }
}
