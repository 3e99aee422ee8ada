export function Button({ label, onPress }) {
  const press = () => {
    try {
      onPress();
    } catch {}
  };
  return (
    <button onClick={press}>
      {/* TODO: icon */}
      {label}
    </button>
  );
}
