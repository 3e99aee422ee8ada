// COMMENT
const CODE = <T,>(x: T) => <p title="STRING">CODE's {x as "STRING"}</p>; // COMMENT
const CODE = <T extends CODE>(x: T) => "STRING"; type CODE = { CODE: <T>(x: T) => "STRING" }; // COMMENT
const CODE = useState<"STRING" | CODE>("STRING"); return <CODE
  // COMMENT "COMMENT"
  CODE="STRING"
  onClick={() => { CODE("STRING"); /* COMMENT */ }}
>(CODE's)</CODE>; // COMMENT
CODE = <List<Array<CODE>, () => CODE> a="STRING">CODE</List>;
