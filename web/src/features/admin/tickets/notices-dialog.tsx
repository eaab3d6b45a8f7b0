import { Flex, Text } from '@chakra-ui/react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Select } from '@/components/app/field'
import { Labelled } from '@/components/app/labelled'
import { LoadFailure } from '@/components/app/load-failure'
import { StillTrying } from '@/components/app/still-trying'
import { useGetDeskQuery, useSetNoticesMutation } from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type { SupportNotices } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import { Options } from '../options'

const names: Record<SupportNotices, string> = {
  off: 'None',
  at_once: 'At once',
  hourly: 'At most one an hour',
  daily: 'At most one a day',
}

/** How the reader is told by email that customers wrote. A choice is saved as soon as it is made. */
export function NoticesDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      size="slim"
      title="Notifications"
      description="Your emails about new tickets and messages of customers"
      onClose={onClose}
    >
      <DialogBody>{open && <Notices />}</DialogBody>
    </Dialog>
  )
}

function Notices() {
  const { data, error, isFetching, refetch } = useGetDeskQuery()
  const [save, saving] = useSetNoticesMutation()
  if (!data && error) {
    return (
      <LoadFailure
        error={error}
        message="Failed to load your choice"
        retrying={isFetching}
        onRetry={() => void refetch()}
      />
    )
  }
  const chosen = saving.error ? undefined : saving.originalArgs?.notices
  const notices = chosen ?? data?.notices ?? ''
  return (
    <Flex direction="column" gap="3">
      <Labelled label="Emails">
        <Select
          disabled={!data}
          value={notices}
          onChange={(event) => void save({ notices: event.target.value as SupportNotices })}
        >
          {data ? (
            <Options
              values={Object.keys(names)}
              value={notices}
              name={(value) => lookup(names, value)}
            />
          ) : (
            <option value="">Loading...</option>
          )}
        </Select>
      </Labelled>
      <Text color="quiet" fontSize="xs">
        Not about what you did yourself, nor about what was answered before.
      </Text>
      <StillTrying waiting={!data} />
      <div role="status">{saving.isSuccess && <Text fontSize="sm">Saved.</Text>}</div>
      {saving.error && <Alert>{problemText(saving.error, 'Failed to save your choice')}</Alert>}
    </Flex>
  )
}
