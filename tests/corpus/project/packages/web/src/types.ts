export interface Item {
  id: number;
  label: string;
}

export function parse(text: string): Item {
  return JSON.parse(text) as any;
}

export const cast = (item: Item) => (item as any).secret as any;
// has any, was any, as anything
