import { type ReactNode, useId } from 'react'
import { Card } from '@/components/app/card'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadingStatus } from '@/components/app/loading-status'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import { type Loading, retryLoading } from '@/lib/api/retry-loading'
import styles from './person.module.css'

interface PartProps<Data> {
  title: string
  /** How it is loaded. */
  query: Loading & { currentData?: Data | undefined; error?: unknown; isFetching: boolean }
  /** What stands there when the server says nothing about why it failed. */
  failed: string
  children: (data: Data) => ReactNode
}

/** A part of somebody's page, which is loaded, fails and is tried again alone. */
export function PartCard<Data>(props: PartProps<Data>) {
  const { title } = props
  const id = useId()
  return (
    <Card aria-labelledby={id}>
      <h3 id={id} tabIndex={-1} className={styles.heading}>
        {title}
      </h3>
      <div className={styles.part}>
        <Part {...props} />
      </div>
    </Card>
  )
}

interface BarePartProps<Data> extends PartProps<Data> {
  /** While it is loaded. */
  height?: string
}

/** The same without a card and a heading. */
export function Part<Data>({
  title,
  query,
  failed,
  height = '3rem',
  children,
}: BarePartProps<Data>) {
  const { currentData, error, isFetching } = query
  const loaded = currentData !== undefined
  return (
    <>
      {loaded && (
        <PartBoundary resetKey={currentData}>
          <Content data={currentData}>{children}</Content>
        </PartBoundary>
      )}
      {error !== undefined && (
        <LoadFailure
          error={error}
          message={failed}
          retrying={isFetching}
          onRetry={() => retryLoading(query)}
        />
      )}
      {!loaded && error === undefined && (
        <>
          <LoadingStatus>{`Loading: ${title}`}</LoadingStatus>
          <Skeleton height={height} />
        </>
      )}
    </>
  )
}

/** Renders inside the boundary. */
function Content<Data>({ data, children }: { data: Data; children: (data: Data) => ReactNode }) {
  return children(data)
}
