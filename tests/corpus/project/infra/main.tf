resource "aws_s3_bucket" "assets" {
  bucket = "assets"
  # TODO: encryption
}

resource "tls_private_key" "ci" {
  algorithm = "RSA"
}

locals {
  key = <<EOT
-----BEGIN RSA PRIVATE KEY-----
bm90IGEgcmVhbCBrZXk=
-----END RSA PRIVATE KEY-----
EOT
}
