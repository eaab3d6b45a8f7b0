import { useEffect } from 'react'
import { Spinner } from '@/components/app/spinner'
import { StillTrying } from '@/components/app/still-trying'
import { buttonClass } from '@/components/button'
import { RetryButton } from '@/components/retry-button'
import { useGetLatestDownloadsQuery, useGetUpdateChannelQuery } from '@/lib/api/releases-api'
import { useNoteDownloadMutation } from '@/lib/api/my-waitlist-api'
import type { DownloadInfo } from '@/lib/api/types'
import styles from './downloads.module.css'

/**
 * The newest builds on the visitor's update channel; the stable ones, which come from memory, when it is not known. A
 * channel that staff changed must not be shown as it was.
 */
function useDownloads() {
  const own = useGetUpdateChannelQuery(undefined, { refetchOnMountOrArgChange: true })
  const failed = own.error !== undefined
  const stable = useGetLatestDownloadsQuery(undefined, {
    refetchOnMountOrArgChange: true,
    skip: !failed,
  })
  if (!failed) {
    return { ...own, data: own.data?.downloads, isPrerelease: own.data?.isPrerelease === true }
  }
  const refetch = () => Promise.all([own.refetch(), stable.refetch()])
  return { ...stable, refetch, isPrerelease: false }
}

/** The newest build for each kind of Mac; a button appears only if its build exists. */
export function Downloads() {
  const { data, error, isFetching, refetch, isPrerelease } = useDownloads()

  useEffect(() => {
    if (error) console.error('Downloads could not be loaded', error)
  }, [error])

  if (!data && !error) {
    return (
      <>
        <div className={styles.waiting} role="status">
          <Spinner size="1.25rem" />
          Loading downloads...
        </div>
        <StillTrying />
      </>
    )
  }
  if (error) {
    return (
      <div className={styles.failed} role="status">
        <p>Downloads can&apos;t be loaded right now.</p>
        <RetryButton retrying={isFetching} onRetry={() => void refetch()} />
      </div>
    )
  }
  if (!data?.arm64 && !data?.x64) {
    return <p className={styles.none}>No build is ready right now. Please check back soon.</p>
  }
  return (
    <div className={styles.builds}>
      {isPrerelease && (
        <p className={styles.which}>
          This is a pre-release: you get new things first, and some may not work yet.
        </p>
      )}
      {data.arm64 && <Download build={data.arm64} label="Download for Mac" />}
      {data.x64 && (
        <Download build={data.x64} label="Download for Intel Mac" quiet={!!data.arm64} />
      )}
      {data.arm64 && data.x64 && (
        <p className={styles.which}>
          Most Macs since 2020 have Apple silicon: take the first. An Intel Mac says so in the Apple
          menu, under About This Mac.
        </p>
      )}
    </div>
  )
}

/** The button of a mouse that opens a link in a tab. */
const MIDDLE = 1

interface DownloadProps {
  build: DownloadInfo
  label: string
  quiet?: boolean
}

function Download({ build, label, quiet }: DownloadProps) {
  const [note] = useNoteDownloadMutation()
  const noted = () => void note()
  return (
    <a
      onClick={noted}
      onAuxClick={({ button }) => button === MIDDLE && noted()}
      href={build.url}
      target="_blank"
      rel="noopener"
      download={build.filename}
      className={buttonClass({
        variant: quiet ? 'secondary' : 'primary',
        size: 'large',
        className: styles.build,
      })}
      data-event="download_app"
    >
      {label} (v{build.version})
    </a>
  )
}
