/** A file of rows whose cells need no quotes, as RFC 4180 has it. */
export function csvBlob(columns: readonly string[], rows: readonly (string | number)[][]): Blob {
  const lines = [columns, ...rows]
  return new Blob([lines.map((cells) => `${cells.join(',')}\r\n`).join('')], { type: 'text/csv' })
}
