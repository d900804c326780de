"""Imported by the fork server, and by it only: what every process of the storm would import for seconds.

Nothing is opened, read or computed here: no Delta, polars or Tokio runtime may be alive where processes are forked.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # else numpy starts a thread
os.environ["POLARS_MAX_THREADS"] = "1"  # hundreds of processes, each of which would start as many as there are cores

import boto3
import dagster_aws.s3
import great_expectations

import tests.chaos.attempts
from resources.storage_location import aws_session

__all__ = ["boto3", "dagster_aws", "great_expectations", "tests"]

# Descriptions of the S3 API, read from files once; no connection is made before a request is.
aws_session().client("s3", endpoint_url="http://127.0.0.1:1", region_name="us-east-1")
