// COMMENT
/* COMMENT */ wire CODE = 4'b1010; reg CODE = 8'hFF; initial $display("STRING 'STRING \" STRING", CODE); // COMMENT
