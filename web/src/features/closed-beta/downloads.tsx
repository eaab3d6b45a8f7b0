import { Button, Flex, Spinner, Text } from '@chakra-ui/react'
import { useEffect } from 'react'
import { useGetLatestDownloadsQuery } from '@/lib/api/releases-api'
import type { DownloadInfo } from '@/lib/api/types'

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
      <Flex align="center" gap="3" minH="3.25rem" fontSize="sm" role="status">
        <Spinner boxSize="1.25rem" aria-hidden />
        Loading downloads...
      </Flex>
    )
  }
  if (error) return null
  if (!data?.arm64 && !data?.x64) {
    return <Text fontSize="sm">No build is ready right now. Please check back soon.</Text>
  }
  return (
    <Flex direction="column" align="stretch" gap="3" maxW="full" my="4">
      {data.arm64 && <Download build={data.arm64} label="Download for Mac" />}
      {data.x64 && (
        <Download build={data.x64} label="Download for Intel Mac" quiet={!!data.arm64} />
      )}
    </Flex>
  )
}

interface DownloadProps {
  build: DownloadInfo
  label: string
  quiet?: boolean
}

function Download({ build, label, quiet }: DownloadProps) {
  return (
    <Button asChild size="lg" variant={quiet ? 'outline' : 'solid'} whiteSpace="normal" py="2">
      <a href={build.url} target="_blank" rel="noopener" download={build.filename}>
        {label} (v{build.version})
      </a>
    </Button>
  )
}
