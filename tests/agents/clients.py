"""The clients: how each is pointed at a model on this machine, how it is started, and how its tools are called."""

import json
from pathlib import Path

MODEL = "m"


def add(path, text):
    lines = "".join(f"+{line}\n" for line in text.splitlines())
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"


class Client:
    """What all of them have in common. Paths in calls are relative to the project."""

    name = ""
    # What is given to 'phaser enforce install'.
    install = ()
    package = ""
    program = ""
    denies = True
    # What precedes an edit of a file that the client has not seen.
    reads = False
    gates = True
    briefs = True
    # The own result of the tool that writes a file.
    success = "uccess"
    # Whether a hook can change the input of a tool, and what the model receives then.
    rewrites = True
    informs_about_fix = "phaser fixed contract violations in your edit"
    # The same for a command line.
    fixes_commands = True
    informs_about_fixed_command = "phaser fixed the command before it ran"

    def __init__(self, project, home, model):
        self.project, self.home, self.model = Path(project), Path(home), model

    def write_home(self, path, text):
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def prepare(self):
        """Points the client at the model."""

    def environment(self):
        return {}

    def arguments(self, prompt):
        raise NotImplementedError

    def at(self, path):
        return str(self.project / path)

    def patch(self, _text):
        return None

    def end(self, text):
        """How the model ends its turn."""
        return text


class Codex(Client):
    name = "codex"
    # It takes another input only together with 'allow'.
    fixes_commands = False
    package = "@openai/codex@0.166.0"
    program = "codex"
    model_name = "gpt-5.5"

    def prepare(self):
        self.write_home(
            ".codex/config.toml",
            f'model = "{self.model_name}"\nmodel_provider = "x"\n\n[model_providers.x]\nname = "x"\n'
            f'base_url = "{self.model.url}/v1"\nwire_api = "responses"\nenv_key = "MODEL_KEY"\n\n'
            f'[projects."{self.project}"]\ntrust_level = "trusted"\n',
        )

    def environment(self):
        return {"MODEL_KEY": "x", "SHELL": "/bin/bash"}

    def arguments(self, prompt):
        bypass = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        return ["exec", *bypass, "--json", prompt]

    def write(self, path, text):
        return ("apply_patch", add(path, text))

    def edit(self, path, old, new):
        text = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        return ("apply_patch", text)

    def patch(self, text):
        return ("apply_patch", text)

    def shell(self, command):
        return ("exec_command", {"cmd": command})


class CodexInCode(Codex):
    """With a model that calls its tools from JavaScript."""

    name = "codex-code"
    install = ("--agent", "codex")
    model_name = "gpt-6.1-sol"
    success = "Script completed"

    def in_code(self, tool, argument):
        return ("exec", f"text(await tools.{tool}({json.dumps(argument)}))")

    def write(self, path, text):
        return self.in_code(*super().write(path, text))

    def edit(self, path, old, new):
        return self.in_code(*super().edit(path, old, new))

    def patch(self, text):
        return self.in_code(*super().patch(text))

    def shell(self, command):
        return self.in_code(*super().shell(command))


class Copilot(Client):
    name = "copilot"
    package = "@github/copilot@1.0.102"
    program = "copilot"
    success = "Created file"

    def environment(self):
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{self.model.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "x",
            "COPILOT_MODEL": "claude-sonnet-5",
        }

    def arguments(self, prompt):
        return ["-p", prompt, "--allow-all", "--trust-folder"]

    def write(self, path, text):
        return ("create", {"path": self.at(path), "file_text": text})

    def edit(self, path, old, new):
        return ("edit", {"path": self.at(path), "old_str": old, "new_str": new})

    def shell(self, command):
        return ("bash", {"command": command, "description": "run it"})


class CopilotAsClaude(Copilot):
    """With the hooks in Claude Code's settings, which it runs as well."""

    name = "copilot-claude"
    install = ("--guard",)
    # The briefing reaches the model only through hooks of its own.
    briefs = False


class CopilotWithPatches(Copilot):
    """With a model whose edits are patches, the arguments of which are plain text."""

    name = "copilot-patches"
    install = ("--agent", "copilot")
    success = "Added 1 file"

    def environment(self):
        more = {"COPILOT_MODEL": "gpt-5.5", "COPILOT_PROVIDER_WIRE_API": "responses"}
        return {**super().environment(), **more}

    def write(self, path, text):
        return ("apply_patch", add(path, text))

    def edit(self, path, old, new):
        return ("apply_patch", f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n")

    def patch(self, text):
        return ("apply_patch", text)


class Gemini(Client):
    name = "gemini"
    # It drops the text of a hook before a tool and sends this instead.
    informs_about_fix = "were modified by a hook"
    informs_about_fixed_command = "were modified by a hook"
    package = "@google/gemini-cli@0.61.0"
    program = "gemini"

    def prepare(self):
        settings = {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}}
        self.write_home(".gemini/settings.json", json.dumps(settings))

    def environment(self):
        return {"GOOGLE_GEMINI_BASE_URL": self.model.url, "GEMINI_API_KEY": "x", "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def arguments(self, prompt):
        return ["--approval-mode", "yolo", "-m", "gemini-2.5-pro", "-p", prompt]

    def write(self, path, text):
        return ("write_file", {"file_path": self.at(path), "content": text})

    def edit(self, path, old, new):
        fields = {"file_path": self.at(path), "old_string": old, "new_string": new, "instruction": "change it"}
        return ("replace", fields)

    def shell(self, command):
        return ("run_shell_command", {"command": command, "description": "run it"})


class Qwen(Client):
    name = "qwen"
    rewrites = False
    fixes_commands = False
    package = "@qwen-code/qwen-code@0.24.4"
    program = "qwen"
    reads = True

    def environment(self):
        return {"OPENAI_BASE_URL": f"{self.model.url}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": MODEL}

    def prepare(self):
        settings = {"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}}
        self.write_home(".qwen/settings.json", json.dumps(settings))

    def arguments(self, prompt):
        return ["--approval-mode", "yolo", "-p", prompt]

    def read(self, path):
        return ("read_file", {"file_path": self.at(path)})

    def write(self, path, text):
        return ("write_file", {"file_path": self.at(path), "content": text})

    def edit(self, path, old, new):
        return ("edit", {"file_path": self.at(path), "old_string": old, "new_string": new})

    def shell(self, command):
        return ("run_shell_command", {"command": command, "description": "run it", "is_background": False})


class Droid(Client):
    name = "droid"
    package = "droid@0.215.0"
    program = "droid"
    reads = True
    success = "created successfully"

    def prepare(self):
        model = {"model": MODEL, "displayName": MODEL, "baseUrl": f"{self.model.url}/v1", "apiKey": "x"}
        model |= {"provider": "generic-chat-completion-api", "maxOutputTokens": 4000}
        self.write_home(".factory/settings.json", json.dumps({"customModels": [model]}))

    def environment(self):
        return {"FACTORY_API_KEY": "x", "FACTORY_AIRGAP_ENABLED": "1"}

    def arguments(self, prompt):
        return ["exec", "--skip-permissions-unsafe", "-m", f"custom:{MODEL}", prompt]

    def read(self, path):
        return ("Read", {"file_path": self.at(path)})

    def write(self, path, text):
        return ("Create", {"file_path": self.at(path), "content": text})

    def edit(self, path, old, new):
        return ("Edit", {"file_path": self.at(path), "old_str": old, "new_str": new})

    def shell(self, command):
        risk = {"riskLevel": "low", "riskLevelReason": "a test"}
        return ("Execute", {"command": command, "summary": "run it", **risk})


class Opencode(Client):
    name = "opencode"
    package = "opencode-ai@1.18.33"
    model_name = MODEL
    program = "opencode"
    reads = True
    gates = False

    def prepare(self):
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "x",
            "options": {"baseURL": f"{self.model.url}/v1", "apiKey": "x"},
            "models": {self.model_name: {"name": MODEL, "limit": {"context": 100000, "output": 4000}}},
        }
        config = {"provider": {"x": provider}, "model": f"x/{self.model_name}", "autoupdate": False, "share": "disabled"}
        (self.project / "opencode.json").write_text(json.dumps(config))

    def environment(self):
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}

    def arguments(self, prompt):
        return ["run", prompt]

    def read(self, path):
        return ("read", {"filePath": self.at(path)})

    def write(self, path, text):
        return ("write", {"filePath": self.at(path), "content": text})

    def edit(self, path, old, new):
        return ("edit", {"filePath": self.at(path), "oldString": old, "newString": new})

    def shell(self, command):
        return ("bash", {"command": command, "description": "run it"})


class OpencodeWithPatches(Opencode):
    """With a model whose edits are patches."""

    name = "opencode-patches"
    install = ("--agent", "opencode")
    model_name = "gpt-5.5"
    reads = False

    def write(self, path, text):
        return ("apply_patch", {"patchText": add(path, text)})

    def edit(self, path, old, new):
        text = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        return ("apply_patch", {"patchText": text})

    def patch(self, text):
        return ("apply_patch", {"patchText": text})


class Cline(Client):
    name = "cline"
    package = "cline@3.0.65"
    program = "cline"
    denies = False
    gates = False
    briefs = False
    success = "created"

    def prepare(self):
        self.before = [["auth", "-p", "openai-compatible", "-k", "x", "-m", MODEL, "-b", f"{self.model.url}/v1"]]

    def arguments(self, prompt):
        return [prompt]

    def write(self, path, text):
        return ("editor", {"path": self.at(path), "new_text": text})

    def edit(self, path, old, new):
        return ("editor", {"path": self.at(path), "old_text": old, "new_text": new})

    def shell(self, command):
        return ("run_commands", {"commands": [command]})


ALL = (Codex, CodexInCode, Copilot, CopilotAsClaude, CopilotWithPatches, Gemini, Qwen, Droid, Opencode, OpencodeWithPatches, Cline)
CLIENTS = {client.name: client for client in ALL}
