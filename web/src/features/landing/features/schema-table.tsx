import styles from './schema-table.module.css'

const columns = [
  { name: 'id', type: 'uuid', note: 'primary key' },
  { name: 'name', type: 'text', note: 'not null' },
  { name: 'created_at', type: 'timestamptz', note: 'default now()' },
]

/** A table that gains a column because a sentence asked for it. */
export function SchemaTable() {
  return (
    <figure className={styles.picture} aria-label="A sentence adds a column to the habits table">
      <p className={styles.said}>&ldquo;Count how many days in a row I kept it up.&rdquo;</p>
      <table className={styles.table}>
        <caption>habits</caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Type</th>
            <th scope="col">Rule</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, type, note }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{type}</td>
              <td>{note}</td>
            </tr>
          ))}
          <tr className={styles.grown}>
            <td>
              <span aria-hidden="true">+ </span>
              streak
            </td>
            <td>integer</td>
            <td>default 0</td>
          </tr>
        </tbody>
      </table>
    </figure>
  )
}
