'use client'

import { Box, Heading, Text } from '@chakra-ui/react'
import { PageFrame } from '@/components/app/page-frame'
import { LinkedTabs, type LinkedTab } from './linked-tabs'
import { UpdatesView } from './updates/updates-view'
import { UserManagement } from './user-management'

const tabs: LinkedTab[] = [
  { value: 'users', label: 'User Management', View: UserManagement },
  { value: 'updates', label: 'Updates', View: UpdatesView },
]

/** The staff tools, a tab for each area. */
export function Dashboard() {
  return (
    <PageFrame>
      <Box mb="6">
        <Heading as="h1" fontSize="2xl">
          Admin Dashboard
        </Heading>
        <Text color="muted">Manage support tickets and customer inquiries</Text>
      </Box>
      <LinkedTabs param="tab" label="Admin areas" tabs={tabs} />
    </PageFrame>
  )
}
