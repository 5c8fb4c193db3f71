import x from "y";
/** A cart. */
export class Cart<T> {
  items = 1;
  // adds one
  add(item: T): void { this.items++ }
  get size() { return 1 }
}
export const load = async (id: string) => {
  return id;
};
export interface Priced { price: number; }
type Id = string;
