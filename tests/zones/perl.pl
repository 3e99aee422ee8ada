#!/usr/bin/COMMENT
# COMMENT "COMMENT"
my $CODE = "STRING \" $STRING @{[ CODE("STRING") ]} ${STRING} # STRING" . 'STRING \' # STRING' . CODE; # COMMENT
my $CODE = q{STRING {STRING} "} . qq(STRING (STRING) @{CODE}) . qw/STRING STRING/ . q(STRING) . CODE;
$CODE =~ s/CODE"/CODE'/g; $CODE =~ s{CODE"} {CODE'}gx; $CODE =~ tr/"'/CODE/; $CODE =~ m|CODE"|; $CODE =~ y/a"/b'/;
my $CODE = $x // "STRING"; $CODE =~ m,CODE",s; qw,STRING STRING,; CODE;
my @CODE = split /CODE"/, CODE; if ($CODE =~ /CODE'/ && !/"CODE/) { CODE } my $CODE = $CODE / 2 / $#CODE; # COMMENT
print <<"END", <<'EOT', CODE; # COMMENT
STRING "STRING" @{[ CODE ]}
END
STRING @{STRING}
EOT
print $fh << "END";
STRING
END
my %CODE = (s => 1, y => "STRING", m => CODE, q => 'STRING'); $CODE->{s} = -s "STRING"; CODE->y("STRING"); sub m { CODE }
my $CODE = $x{y} / 2; my $CODE = qr/CODE"/x; 1 << 2; $x = $y<<CODE;

=head1 COMMENT "COMMENT"

COMMENT

=cut

CODE; $CODE = `STRING`; # COMMENT
__END__
COMMENT
