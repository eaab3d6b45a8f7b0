import { type ComponentProps, memo, type ReactNode, type Ref } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import styles from './paged-table.module.css'

interface PagedTableProps<Item extends { id: string }> {
  /** A ref to the table, to focus it. */
  ref?: Ref<HTMLTableElement>
  caption: string
  /** The class with the columns of a row, shared by its head and its skeleton. */
  columns: string
  /** The column headings; those in `unseen` are for screen readers only. */
  titles: readonly string[]
  unseen: readonly string[]
  /** The items as they were loaded, a page at a time. */
  pages: readonly Item[][]
  loading: boolean
  /** The top offset of the sticky head, where something else is sticky above it. */
  headTop?: string
  /** Renders a row. Has to be memoized: pages render again when this function or the page changes. */
  children: (item: Item) => ReactNode
}

/** The height of a row, and room for it before it has been laid out. */
const ROW_REM = 3.5
const SKELETON_ROWS = 6

/**
 * A table whose pages are loaded one after the other. Rows are CSS grids, so that they stack on narrow screens; the
 * explicit roles restore the table semantics that `display: grid` removes. Each row has an error boundary.
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

/** Memoized: loading one more page must not render all the others again. */
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

/** A row. It is focusable, as the fallback for a focused control inside it that unmounts. */
export function Row({ className = '', ...props }: ComponentProps<'tr'>) {
  const classes = `${styles.row} ${styles.body} ${className}`
  return <tr role="row" tabIndex={-1} className={classes} {...props} />
}

/** A cell of a row. */
export function Cell(props: ComponentProps<'td'>) {
  // eslint-disable-next-line jsx-a11y/no-interactive-element-to-noninteractive-role -- `display: grid` removes it
  return <td role="cell" {...props} />
}

interface SkeletonRowsProps {
  row: string
  /** For each cell, whether it has a skeleton; the first of these is the widest. */
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
