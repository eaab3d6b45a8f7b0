/**
 * The mark on a 32 × 32 grid: three strokes that leave one tip. A feather, and a pointer at the
 * place where one says what should be. Left vane, quill, right vane.
 */
export const markPaths = [
  'M5 4C1.9 10.8 2.7 19 7.2 27.2C11.2 19 10.2 11 5 4Z',
  'M5 4C9.6 12 15.2 20.4 26 28.8C24.2 17.6 15.4 9.2 5 4Z',
  'M5 4C12.2 8.5 20 10.2 29 8.5C22 2.2 13.2 0.8 5 4Z',
] as const
