from dataclasses import dataclass


@dataclass
class User:
    name: str
    email: str

    def label(self) -> str:
        # TODO: translate
        return f"{self.name} <{self.email}>"


def fingerprint(user: User) -> int:
    # TODO(ada): use a stable hash
    return hash(user.email)
