export class Store {
  private items = new Map<string, string>();

  get(key: string): string {
    try {
      return this.items.get(key)!;
    } catch (e)
    {
    }
    return "";
  }

  dump(): void {
    console.debug(this.items); // TODO
  }
}
