import { chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { useState, type SubmitEvent } from 'react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { Input, Select } from '@/components/app/field'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import { useLazyExplainUpdateQuery } from '@/lib/api/releases-api'
import type { Channel } from '@/lib/api/types'
import { CHANNELS } from './channel-choice'

const ARCHS = ['arm64', 'x64']

/** Which update one installed app is offered, and why, in the words of the service that decides. */
export function ExplainUpdate() {
  const [stagingId, setStagingId] = useState('')
  const [channel, setChannel] = useState<Channel>('stable')
  const [arch, setArch] = useState('')
  const [version, setVersion] = useState('')
  const [explain, { data, error, isFetching }] = useLazyExplainUpdateQuery()

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void explain({ stagingId: stagingId.trim(), channel, arch, version: version.trim() })
  }

  return (
    <Card aria-labelledby="who-gets-what">
      <Heading as="h2" id="who-gets-what" fontSize="lg">
        Who gets what
      </Heading>
      <Text mt="1" color="muted" fontSize="sm">
        Which update one Mac is offered, and why. electron-updater keeps the id in the file
        .updaterId of the app&apos;s folder. An app with Squirrel sends none, but its architecture.
      </Text>
      <chakra.form display="flex" flexWrap="wrap" alignItems="end" gap="3" mt="4" onSubmit={submit}>
        <Field flex="1 1 18rem">
          Device id
          <Input
            maxLength={64}
            placeholder="None"
            autoComplete="off"
            spellCheck={false}
            value={stagingId}
            onChange={(event) => setStagingId(event.target.value)}
          />
        </Field>
        <Field>
          Channel
          <Select value={channel} onChange={(event) => setChannel(event.target.value as Channel)}>
            {CHANNELS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
        <Field>
          Architecture
          <Select value={arch} onChange={(event) => setArch(event.target.value)}>
            <option value="">Not told</option>
            {ARCHS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
        <Field flex="0 1 9rem">
          Installed version
          <Input
            maxLength={64}
            placeholder="Any"
            autoComplete="off"
            value={version}
            onChange={(event) => setVersion(event.target.value)}
          />
        </Field>
        <Button type="submit" variant="secondary" pending={isFetching} data-event="explain_update">
          Explain
        </Button>
      </chakra.form>
      {error && !isFetching ? (
        <Alert>{problemText(error, 'The answer could not be loaded. Please try again.')}</Alert>
      ) : (
        <Answer sentences={data?.sentences ?? []} />
      )}
    </Card>
  )
}

/** The answer, and below it what led to it. */
function Answer({ sentences: [answer, ...why] }: { sentences: readonly string[] }) {
  return (
    <Flex direction="column" gap="2" role="status" fontSize="sm" mt={answer ? '4' : '0'}>
      {answer && <Text fontWeight={600}>{answer}</Text>}
      {why.length > 0 && (
        <chakra.ul display="grid" gap="1" ps="5" color="muted" listStyleType="disc">
          {why.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </chakra.ul>
      )}
    </Flex>
  )
}

const Field = chakra('label', {
  base: { display: 'grid', gap: '1', minWidth: 0, fontSize: 'sm', fontWeight: 600 },
})
