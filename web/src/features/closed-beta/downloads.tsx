import { useEffect } from 'react'
import { Spinner } from '@/components/app/spinner'
import button from '@/components/button.module.css'
import { useGetLatestDownloadsQuery } from '@/lib/api/releases-api'
import type { DownloadInfo } from '@/lib/api/types'
import styles from './downloads.module.css'

/** The newest build for each kind of Mac; a button appears only if its build exists. */
export function Downloads() {
  const { data, error, isLoading } = useGetLatestDownloadsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })

  useEffect(() => {
    if (error) console.error('Downloads could not be loaded', error)
  }, [error])

  if (isLoading) {
    return (
      <div className={styles.waiting} role="status">
        <Spinner size="1.25rem" />
        Loading downloads...
      </div>
    )
  }
  if (error) return null
  if (!data?.arm64 && !data?.x64) {
    return <p className={styles.none}>No build is ready right now. Please check back soon.</p>
  }
  return (
    <div className={styles.builds}>
      {data.arm64 && <Download build={data.arm64} label="Download for Mac" />}
      {data.x64 && (
        <Download build={data.x64} label="Download for Intel Mac" quiet={!!data.arm64} />
      )}
    </div>
  )
}

interface DownloadProps {
  build: DownloadInfo
  label: string
  quiet?: boolean
}

function Download({ build, label, quiet }: DownloadProps) {
  return (
    <a
      href={build.url}
      target="_blank"
      rel="noopener"
      download={build.filename}
      className={`${quiet ? `${button.secondary} ${button.raised}` : button.primary} ${button.large} ${button.fits} ${styles.build}`}
    >
      {label} (v{build.version})
    </a>
  )
}
