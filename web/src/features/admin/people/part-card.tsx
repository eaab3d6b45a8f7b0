import { type ReactNode, useId } from 'react'
import { Card } from '@/components/app/card'
import { LoadFailure } from '@/components/app/load-failure'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import styles from './person.module.css'

interface PartCardProps<Data> {
  title: string
  /** How it is loaded. */
  query: {
    data?: Data | undefined
    error?: unknown
    isFetching: boolean
    refetch: () => unknown
  }
  /** What stands there when the server says nothing about why it failed. */
  failed: string
  children: (data: Data) => ReactNode
}

/** A part of somebody's page, which is loaded, fails and is tried again alone. */
export function PartCard<Data>({ title, query, failed, children }: PartCardProps<Data>) {
  const { data, error, isFetching, refetch } = query
  const id = useId()
  return (
    <Card aria-labelledby={id}>
      <h3 id={id} tabIndex={-1} className={styles.heading}>
        {title}
      </h3>
      <div className={styles.part}>
        {data === undefined && error !== undefined ? (
          <LoadFailure
            error={error}
            message={failed}
            retrying={isFetching}
            onRetry={() => void refetch()}
          />
        ) : data === undefined ? (
          <div role="status" aria-label={`Loading: ${title}`}>
            <Skeleton height="3rem" />
          </div>
        ) : (
          <PartBoundary resetKey={data}>
            <Content data={data}>{children}</Content>
          </PartBoundary>
        )}
      </div>
    </Card>
  )
}

/** Renders inside the boundary. */
function Content<Data>({ data, children }: { data: Data; children: (data: Data) => ReactNode }) {
  return children(data)
}
