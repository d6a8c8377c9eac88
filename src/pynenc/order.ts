/** For sorting: the smaller first. ISO texts of one form sort like their times. */
export function ascending<T extends string | number>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}
