import { type ComponentProps, memo, type ReactNode, type Ref } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import styles from './paged-table.module.css'

interface PagedTableProps<Item extends { id: string }> {
  /** The table, which can take the focus. */
  ref?: Ref<HTMLTableElement>
  caption: string
  /** The class with the columns of a row, shared by its head and its skeleton. */
  columns: string
  /** What stands over each column; those in `unseen` are for the ears only. */
  titles: readonly string[]
  unseen: readonly string[]
  /** The items as they were loaded, a page at a time. */
  pages: readonly Item[][]
  loading: boolean
  /** How far below the top of the window the head stays, where something else stays above it. */
  headTop?: string
  /** Draws a row. A page is drawn anew when this is another function, or when the page itself changes. */
  children: (item: Item) => ReactNode
}

/** The height of a row, and room for it before it has been laid out. */
const ROW_REM = 3.5
const SKELETON_ROWS = 6

/**
 * A table that grows by pages. Rows are grids, so that they stack on narrow screens; the roles say what the
 * changed display takes away. A row that cannot be shown fails alone.
 */
export function PagedTable<Item extends { id: string }>(props: PagedTableProps<Item>) {
  const { ref, caption, columns, titles, unseen, pages, loading, headTop = '0', children } = props
  const row = `${styles.row} ${columns}`
  return (
    <table
      ref={ref}
      tabIndex={-1}
      role="table"
      aria-busy={loading}
      className={styles.table}
      style={{ '--row': `${ROW_REM}rem` } as object}
    >
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup" className={styles.head} style={{ top: headTop }}>
        <tr role="row" className={row}>
          {titles.map((title) => (
            <th key={title} role="columnheader" scope="col" className={styles.heading}>
              {unseen.includes(title) ? <span className="visually-hidden">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      {loading && <SkeletonRows row={row} shown={titles.map((title) => !unseen.includes(title))} />}
      {pages.map((page, index) => (
        <Page key={index} items={page} draw={children} />
      ))}
    </table>
  )
}

interface PageProps<Item> {
  items: readonly Item[]
  draw: (item: Item) => ReactNode
}

/** Drawn once: with many pages loaded, another one must not cost as much as all of them. */
const Page = memo(function Page<Item extends { id: string }>({ items, draw }: PageProps<Item>) {
  return (
    <tbody
      role="rowgroup"
      className={styles.page}
      style={{ containIntrinsicBlockSize: `auto ${items.length * ROW_REM}rem` }}
    >
      {items.map((item) => (
        <PartBoundary key={item.id} resetKey={item} fallback={<BrokenRow />}>
          {draw(item)}
        </PartBoundary>
      ))}
    </tbody>
  )
}) as <Item extends { id: string }>(props: PageProps<Item>) => ReactNode

function BrokenRow() {
  return (
    <Row>
      <Cell className={styles.broken}>This row could not be shown.</Cell>
    </Row>
  )
}

/** A row, which can have the focus when what had it in the row has gone. */
export function Row({ className = '', ...props }: ComponentProps<'tr'>) {
  const classes = `${styles.row} ${styles.body} ${className}`
  return <tr role="row" tabIndex={-1} className={classes} {...props} />
}

/** A cell of a row. */
export function Cell(props: ComponentProps<'td'>) {
  // eslint-disable-next-line jsx-a11y/no-interactive-element-to-noninteractive-role -- its own, which the grid takes away
  return <td role="cell" {...props} />
}

interface SkeletonRowsProps {
  row: string
  /** For each cell, whether it has anything to show; the first of these has the most. */
  shown: readonly boolean[]
}

function SkeletonRows({ row, shown }: SkeletonRowsProps) {
  const widest = shown.indexOf(true)
  return (
    <tbody role="rowgroup" className={styles.page} aria-hidden>
      {Array.from({ length: SKELETON_ROWS }, (_, n) => (
        <tr key={n} className={row}>
          {shown.map((drawn, cell) => (
            <td key={cell} className={styles.line}>
              {drawn && (
                <Skeleton height="0.75rem" width={cell === widest ? `${70 - n * 6}%` : '60%'} />
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}
