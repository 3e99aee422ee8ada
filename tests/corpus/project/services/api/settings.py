import os

DEBUG = os.environ.get("DEBUG") == "1"
DATABASE = {
    "host": "localhost",
    "user": "app",
}
PASSWORD = "hunter2"
password: 'correct-horse'
password = os.environ["PASSWORD"]
password_file = "/run/secrets/db"
password = "two words"
password = "mixed'
