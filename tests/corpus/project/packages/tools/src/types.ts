export const untyped = (value: unknown) => value as any;
export const log = (value: unknown) => console.log(value);
